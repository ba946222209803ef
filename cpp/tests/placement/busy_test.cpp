// Spreads over numbered nodes, and the jobs of a busy machine.
#include "odonata/placement/busy.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "check.hpp"
#include "odonata/placement/spread.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::busy_test {

namespace {

using Nodes = std::vector<std::int32_t>;
using Numbers = std::vector<std::int64_t>;

Nodes first_nodes(int count) {
  Nodes nodes(static_cast<std::size_t>(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

}  // namespace

TEST("placement/the span of a spread goes from the closest neighbours to the whole machine") {
  const Numbers numbers{0, 1, 2, 10, 11, 13, 14};
  CHECK_EQUAL(spans_of(numbers, 3).first, 2);
  CHECK_EQUAL(spans_of(numbers, 4).first, 4);  // 10, 11, 13, 14
  CHECK_EQUAL(spans_of(numbers, 4).second, 14);
  CHECK_THROWS(UserError, static_cast<void>(spans_of(numbers, 8)));
  CHECK_THROWS(UserError, static_cast<void>(spans_of(numbers, 1)));
}

TEST("placement/a spread has the span that is nearest to the wanted one") {
  const Numbers numbers{0, 1, 2, 10, 11, 13, 14};
  const std::map<std::int64_t, std::int64_t> nearest{{0, 2}, {2, 2},   {6, 4},
                                                     {7, 9}, {12, 12}, {99, 14}};
  for (const auto& [wanted, got] : nearest) {
    std::set<Nodes> seen;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Nodes at = spread(numbers, 3, wanted, seed, 0);
      CHECK_EQUAL(at.size(), 3u);
      CHECK(std::is_sorted(at.begin(), at.end()) && at[0] < at[1] && at[1] < at[2]);
      CHECK_EQUAL(
          numbers[static_cast<std::size_t>(at[2])] - numbers[static_cast<std::size_t>(at[0])], got);
      CHECK(at == spread(numbers, 3, wanted, seed, 0));
      seen.insert(at);
    }
    // One triple has span 2; five nodes are between the ends of span 14.
    if (got == 2) CHECK_EQUAL(seen.size(), 1u);
    if (got == 14) CHECK_EQUAL(seen.size(), 5u);
  }
}

TEST("placement/a spread takes all between its ends alike") {
  Numbers numbers(12);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> count(12, 0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    for (const std::int32_t at : spread(numbers, 7, 11, seed, 3)) ++count[at];
  CHECK_EQUAL(count[0], 2000);
  CHECK_EQUAL(count[11], 2000);
  // Half of the ten between: 1000 each, with a standard deviation of 22.
  for (int at = 1; at < 11; ++at) CHECK(count[at] > 890 && count[at] < 1110);
}

TEST("placement/busy jobs share the wanted number of free nodes") {
  Nodes free;
  for (std::int32_t node = 0; node < 300; ++node)
    if (node % 3 != 0) free.push_back(node);
  for (const int busy : {0, 2, 3, 160, 200}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      std::set<std::int32_t> taken;
      int total = 0;
      for (const Nodes& job : busy_jobs(free, 300, busy, seed)) {
        CHECK(job.size() >= 2);
        total += static_cast<int>(job.size());
        taken.insert(job.begin(), job.end());
      }
      CHECK_EQUAL(total, busy);
      CHECK_EQUAL(static_cast<int>(taken.size()), busy);
      CHECK(std::includes(free.begin(), free.end(), taken.begin(), taken.end()));
    }
  }
  CHECK_THROWS(UserError, static_cast<void>(busy_jobs(free, 300, 1, 7)));
  CHECK_THROWS(UserError, static_cast<void>(busy_jobs(free, 300, 201, 7)));
}

TEST("placement/busy jobs have the sizes of the fit") {
  // The first job of a machine that has 2^14 nodes free is as large as the fit says: its logarithm
  // is in 0.8 to 11.5 with probability 0.86, else in 11.5 to 14; most are whole.
  const Nodes free = first_nodes(1 << 14);
  int powers = 0, below_middle = 0, small = 0;
  constexpr int seeds = 1000;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto size = static_cast<std::uint32_t>(busy_jobs(free, 1 << 14, 1 << 14, seed)[0].size());
    powers += (size & (size - 1)) == 0 ? 1 : 0;
    below_middle += size < 2896 ? 1 : 0;  // 2^11.5
    small += size < 64 ? 1 : 0;
  }
  // Standard deviations are 0.014 and less. Some sizes happen to be rounded to a power.
  CHECK(powers > 0.72 * seeds && powers < 0.84 * seeds);              // 0.762
  CHECK(below_middle > 0.82 * seeds && below_middle < 0.90 * seeds);  // 0.86
  // 0.86 × (0.238 × 5.2 / 10.7 + 0.762 × 4.7 / 10.7): whole logarithms from 5.5 on are 6.
  CHECK(small > 0.34 * seeds && small < 0.44 * seeds);
}

TEST("placement/a busy job has neighbours, from a drawn node on") {
  const Nodes free = first_nodes(1000);
  std::set<std::int32_t> starts;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Nodes job = busy_jobs(free, 1000, 500, seed)[0];
    starts.insert(job[0]);
    for (std::size_t i = 1; i < job.size(); ++i)
      CHECK_EQUAL(job[i], (job[0] + static_cast<std::int32_t>(i)) % 1000);
  }
  CHECK(starts.size() > 25);
}

}  // namespace odonata::tests::busy_test
