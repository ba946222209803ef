// Process grids and halo exchanges: places, neighbours, and messages that all find their receives.
#include <map>

#include "check.hpp"
#include "odonata/machine/families/hyperx/hyperx.hpp"
#include "odonata/units/errors.hpp"
#include "odonata/workload/halo/halo.hpp"
#include "proving.hpp"

namespace odonata::tests::halo_test {
namespace {

using Numbers = std::vector<std::int32_t>;

// 2 x 3 routers with two nodes each.
const Machine& small_grid() {
  static const Machine made = [] {
    Hyperx h;
    h.basics = basics();
    h.sizes = {2, 3};
    h.nodes_per_router = 2;
    h.injection = h.ejection = some_links;
    h.along = {named("x", some_links), named("y", some_links)};
    return make_hyperx(h);
  }();
  return made;
}

Numbers all_nodes() {
  Numbers nodes;
  for (std::int32_t node = 0; node < small_grid().num_nodes(); ++node) nodes.push_back(node);
  return nodes;
}

TEST("halo/neighbours of a place, round and round or not") {
  const ProcessGrid grid({3, 2, 1});
  CHECK_EQUAL(grid.num_places(), 6);
  CHECK_EQUAL(grid.neighbour(2, 0, true, true), 0);
  CHECK_EQUAL(grid.neighbour(2, 0, true, false), -1);
  CHECK_EQUAL(grid.neighbour(3, 0, false, true), 5);
  CHECK_EQUAL(grid.neighbour(1, 1, true, false), 4);
  CHECK_EQUAL(grid.neighbour(1, 1, false, true), 4);
  CHECK_EQUAL(grid.neighbour(1, 2, true, true), -1);  // one place has no neighbour
  CHECK_THROWS(UserError, ProcessGrid({2, 0}));
  CHECK_THROWS(UserError, ProcessGrid({1 << 20, 1 << 20}));
}

TEST("halo/messages of a repetition") {
  CHECK_EQUAL(messages_of(ProcessGrid({4, 3}), true), 48);
  CHECK_EQUAL(messages_of(ProcessGrid({4, 3}), false), 34);
  CHECK_EQUAL(messages_of(ProcessGrid({5, 1}), true), 10);
}

TEST("halo/custom lays the grid on the machine, nodes of a router along the longer side") {
  const Numbers along_y =
      distribute(Distribution::custom, ProcessGrid({2, 6}), small_grid(), all_nodes());
  CHECK(along_y == Numbers{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11});
  const Numbers along_x =
      distribute(Distribution::custom, ProcessGrid({4, 3}), small_grid(), all_nodes());
  CHECK(along_x == all_nodes());
  CHECK_THROWS(UserError,
               distribute(Distribution::custom, ProcessGrid({3, 4}), small_grid(), all_nodes()));
  CHECK_THROWS(UserError,
               distribute(Distribution::plain, ProcessGrid({3, 3}), small_grid(), all_nodes()));
}

// Notes from where what a rank receives was sent.
class Origins final : public Memory {
 public:
  using End = std::pair<std::int32_t, Bytes>;  // rank, and beginning in its buffer

  Payload read(std::int32_t rank, const Span& from) override {
    return std::make_shared<const std::vector<std::uint64_t>>(std::vector<std::uint64_t>{
        static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(from.offset)});
  }
  void write(std::int32_t rank, const Span& to, const Payload& payload) override {
    const auto& sent = *payload;
    of[{rank, to.offset}] = {static_cast<std::int32_t>(sent[0]), static_cast<Bytes>(sent[1])};
  }
  void combine(std::int32_t, const Span&, const Payload&) override {}

  std::map<End, End> of;
};

TEST(
    "halo/what comes from a neighbour is its face on this side, though both are neighbours twice") {
  Origins origins;
  JobSpec job;
  job.nodes = {0, 1, 2, 3};
  job.program = halo({{2, 2}, {{100, {}}, {200, {}}}}, small_grid(), job.nodes);
  job.memory = &origins;
  InstantWorld instant(small_grid(), {}, 7);
  instant.world.add(std::move(job));
  instant.run();
  // Faces lie in the order x down, x up, y down, y up: at 0, 100, 200, 400.
  CHECK_EQUAL(origins.of.size(), 16U);
  CHECK(origins.of[{0, 0}] == Origins::End(1, 100));
  CHECK(origins.of[{0, 100}] == Origins::End(1, 0));
  CHECK(origins.of[{0, 200}] == Origins::End(2, 400));
  CHECK(origins.of[{0, 400}] == Origins::End(2, 200));
  CHECK(origins.of[{3, 0}] == Origins::End(2, 100));
}

TEST("halo/every message finds its receive, whatever the timing") {
  for (const Distribution how : {Distribution::plain, Distribution::cart, Distribution::custom})
    for (const bool periodic : {false, true})
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        HaloOptions options{{2, 6}, {{100, {1.5}}, {200, {}}}, how, periodic, 2, "halo"};
        InstantWorld instant(small_grid(), with_costs(), seed);
        JobSpec job;
        job.nodes = all_nodes();
        job.program = halo(options, small_grid(), job.nodes);
        instant.world.add(std::move(job));
        instant.run();  // throws if a rank waits for ever, or a message is longer than its receive
      }
}

}  // namespace
}  // namespace odonata::tests::halo_test
