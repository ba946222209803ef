// Applications: who is in which communicator, and messages that all find their receives.
#include "check.hpp"
#include "odonata/units/errors.hpp"
#include "odonata/workload/fft/fft.hpp"
#include "odonata/workload/sedov/sedov.hpp"
#include "proving.hpp"

namespace odonata::tests::applications_test {
namespace {

using Ranks = std::vector<int>;

JobStatistics run_in_random_timing(const Program& program, const Setting& on) {
  InstantWorld run(on.machine, on.options, on.seed);
  JobSpec job;
  job.nodes = on.nodes;
  job.program = program;
  run.world.add(std::move(job));
  run.run();  // throws if a rank waits for ever, or a message is longer than its receive
  return run.world.statistics(0);
}

TEST("applications/ranks of a line of bricks, of a plane, and of a line across planes") {
  CHECK(transpose_ranks(Transpose::pillar, 3, 13) == Ranks{12, 13, 14});
  CHECK(transpose_ranks(Transpose::slab, 3, 13) == Ranks{9, 10, 11, 12, 13, 14, 15, 16, 17});
  CHECK(transpose_ranks(Transpose::stack, 3, 13) == Ranks{4, 13, 22});
  CHECK(transpose_ranks(Transpose::stack, 1, 0) == Ranks{0});
}

TEST("applications/a solve is two alltoalls in each line and plane, whatever the timing") {
  for (const char* name : {"bruck", "pairwise", "scattered"})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const std::array<TransposeOptions, 3> transposes{{{400, name}, {900, name}, {1300, name}}};
      const FftOptions options{2, transposes, {5, 6, 7}, 8, {0.5}, 2, "fft"};
      const JobStatistics got = run_in_random_timing(fft(options, 8), Setting(8, seed));
      // Bruck's lines of two exchange a block, as the others do; its planes of four exchange two
      // blocks twice where the others exchange one block three times.
      const Bytes plane = name == std::string("bruck") ? 4 : 3;
      CHECK_EQUAL(got.bytes, 2 * 2 * 8 * (400 + plane * 900 + 1300));
    }
}

TEST("applications/the ranks of a solve are a cube, and its algorithms known") {
  FftOptions options;
  options.side = 2;
  for (TransposeOptions& one : options.transposes) one = {8, "pairwise"};
  CHECK_THROWS(UserError, fft(options, 9));
  options.transposes[1].algorithm = "ring";
  CHECK_THROWS(UserError, fft(options, 8));
}

TEST("applications/a step reduces once and swaps faces after each part of its work") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Setting on(6, seed);
    const HaloOptions ghosts{{3, 2}, {{100, {0.5}}, {700, {}}}, Distribution::plain, false, 2};
    const SedovOptions options{ghosts, 3, 100, "recursive_doubling"};
    const JobStatistics got = run_in_random_timing(sedov(options, on.machine, on.nodes), on);
    // Four messages each way along x, three along y; six ranks reduce in 2 + 8 + 2 messages.
    CHECK_EQUAL(got.messages, 2 * (3 * 2 * (4 + 3) + 12));
    CHECK_EQUAL(got.bytes, 2 * (3 * 2 * (4 * 100 + 3 * 700) + 12 * 8));
  }
  const Setting on(6, 0);
  const HaloOptions ghosts{{3, 2}, {{1, {}}, {1, {}}}};
  CHECK_THROWS(UserError, sedov({ghosts, 2, 0, "rings"}, on.machine, on.nodes));
  CHECK_THROWS(UserError,
               sedov({{{2, 2}, {{1, {}}, {1, {}}}}, 2, 0, "ring"}, on.machine, on.nodes));
}

}  // namespace
}  // namespace odonata::tests::applications_test
