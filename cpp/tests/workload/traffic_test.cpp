// Sources of synthetic traffic: messages under way, and waiting ones.
#include "odonata/workload/traffic.hpp"
#include "proving.hpp"

namespace odonata::tests::traffic_test {
namespace {

constexpr std::int64_t num_messages = 40;

struct Seen {
  std::int64_t most_under_way;
  JobStatistics statistics;
};

// One message of 1000 B each 1 us of two ranks, for which the network takes up to `most_delay`.
Seen run(std::uint32_t outstanding, std::uint32_t most_delay) {
  MpiOptions options;
  options.outstanding = outstanding;
  InstantWorld made(small_star(), options, 5, most_delay);
  const PatternOptions pairs{"pairs", 1, 0, {1, 0}};
  const Traffic what{make_pattern(pairs, small_star(), {0, 1}, 5), 1, 1000, num_messages, true};
  made.world.add({{0, 1}, [what](Rank rank) { return traffic(std::move(rank), what); }});
  made.run();
  return {made.network.most_under_way(), made.world.statistics(0)};
}

TEST("traffic/a source has so many messages under way, and waiting ones are late") {
  constexpr std::uint32_t delay = 100'000'000;  // on average 50 us
  for (const std::uint32_t outstanding : {1U, 3U}) {
    const Seen seen = run(outstanding, delay);
    CHECK_EQUAL(seen.most_under_way, 2 * outstanding);
    CHECK_EQUAL(seen.statistics.messages, 2 * num_messages);
    CHECK_EQUAL(seen.statistics.first_sent, 1'000'000);
    // The last was due after 40 us and waited for the others.
    CHECK(seen.statistics.latency_max > 2 * Time{delay});
  }
  CHECK(run(256, delay).statistics.latency_max <= delay);
}

TEST("traffic/a source that is in time waits for nothing") {
  CHECK_EQUAL(run(1, 900'000).statistics.last_delivered,
              run(256, 900'000).statistics.last_delivered);
}

}  // namespace
}  // namespace odonata::tests::traffic_test
