// The decision by hand, its safeguards one by one, and the groups of ranks.
#include "check.hpp"
#include "odonata/model/redistribution.hpp"

namespace odonata::model::tests::test_redistribution {
namespace {

// A message takes 1 s and a flop 1 us; values cost nothing.
constexpr MessageCosts one_second{.alpha = 1};
constexpr LevelWork finest{.ranks = 16,
                           .rows = 1e6,
                           .row_nonzeros = 1,
                           .sends = 2,
                           .active_ranks = 16,
                           .flop_seconds = 1e-6};
// T_noswitch = 10 (1600 / 16) 10 1e-6 + 5 * 8 = 40.01 s.
constexpr LevelWork coarse{.ranks = 16,
                           .rows = 1600,
                           .row_nonzeros = 10,
                           .sends = 8,
                           .values_sent = 80,
                           .active_ranks = 16,
                           .flop_seconds = 1e-6};

LevelDecision second_level(const RedistributionRules& rules, const LevelWork& level = coarse,
                           const MessageCosts& costs = one_second) {
  Redistribution redistribution(costs, rules);
  CHECK(redistribution.decide(finest).reason == Reason::finest);
  return redistribution.decide(level);
}

bool near(double a, double b) { return a > b * (1 - 1e-12) && a < b * (1 + 1e-12); }

TEST("redistribution/the fastest power of two below the number of sends") {
  const LevelDecision found = second_level({});
  CHECK(near(found.no_switch_seconds, 40.01));
  CHECK(near(found.sum_seconds, 40.01 + 10.625));  // 10 (1e6 / 16) 1e-6 + 5 * 2
  CHECK_EQUAL(found.candidates.size(), 3U);
  // 10 (1600 / C) 10 1e-6 + 5 (C - 1) + 3 log2(16 / C)
  CHECK(near(found.candidates[0].seconds, 12.16));
  CHECK(near(found.candidates[1].seconds, 14.08));
  CHECK(near(found.candidates[2].seconds, 21.04));
  CHECK(found.reason == Reason::switched);
  CHECK_EQUAL(found.best->groups, 1);
  CHECK(near(found.gain, (40.01 - 12.16) / 50.635));
}

TEST("redistribution/every number of groups if asked, uneven ones rounded up to a step") {
  const LevelDecision found = second_level({.exhaustive = true});
  CHECK_EQUAL(found.candidates.size(), 7U);
  CHECK(near(found.candidates[2].seconds, 0.16 / 3 + 5 * 2 + 3 * 3));  // 16 / 3: 2.4 steps
}

TEST("redistribution/values cost two blocks and one a step in the gathers and the scatter") {
  const LevelDecision found = second_level({}, coarse, {.alpha = 1, .beta = 1e-3});
  CHECK(near(found.no_switch_seconds, 40.01 + 5 * 80e-3));
  // two groups: a message of 80 / 8 values in each product; 800 values (2 + 3)
  CHECK(near(found.candidates[1].seconds, 14.08 + 5 * 10e-3 + 800 * 5e-3));
}

TEST("redistribution/a small gain is refused, and the least gain can be set") {
  const double gain = second_level({}).gain;
  CHECK(second_level({.least_gain = gain * 1.001}).reason == Reason::small_gain);
  CHECK(second_level({.least_gain = gain}).switches());
}

TEST("redistribution/a small local problem stays below half the cache") {
  // 100 rows of 10 * 12 + 12 = 132 B a rank are 13,200 B; in two groups 105,600 B
  CHECK_EQUAL(second_level({.cache_bytes = 211'201}).best->groups, 2);
  CHECK_EQUAL(second_level({.cache_bytes = 211'200}).best->groups, 4);
  CHECK(second_level({.cache_bytes = 20'000}).reason == Reason::cache);
}

TEST("redistribution/the vector of a medium one does, and a large one may grow") {
  // the vector of a rank has 800 B; in two groups 6,400 B
  CHECK_EQUAL(second_level({.cache_bytes = 12'801}).best->groups, 2);
  CHECK_EQUAL(second_level({.cache_bytes = 12'800}).best->groups, 4);
  CHECK_EQUAL(second_level({.cache_bytes = 799}).best->groups, 1);
}

TEST("redistribution/ranks of a node wait for each other where a penalty says so") {
  const MessageCosts shared{.alpha = 1, .far = 10, .tasks = 8, .alpha_shared = true};
  CHECK(near(shared.seconds(1, 0, 16, 16), 8 + 10));
  CHECK(near(shared.seconds(1, 0, 3, 16), 2 + 10));
  CHECK(near(shared.seconds(1, 0, 1, 16), 1 + 10));
  const MessageCosts far{.alpha = 1, .far = 10, .tasks = 8, .far_shared = true};
  CHECK(near(far.seconds(2, 0, 16, 16), 2 * 81));
  const MessageCosts contended{.beta = 1, .contention = 0.5};
  CHECK(near(contended.seconds(2, 10, 4, 16), 10 * (1 + 0.5 * 8)));
}

TEST("redistribution/levels are switched as often as allowed, and not where nothing can be won") {
  Redistribution once(one_second, {});
  (void)once.decide(finest);
  CHECK(once.decide(coarse).switches());
  CHECK(once.decide(coarse).reason == Reason::switched_before);
  Redistribution twice(one_second, {.most_switches = 2});
  (void)twice.decide(finest);
  (void)twice.decide(coarse);
  CHECK(twice.decide(coarse).switches());
  CHECK(twice.decide(coarse).reason == Reason::switched_before);
  LevelWork alone = coarse;
  alone.sends = 1;
  CHECK(second_level({}, alone).reason == Reason::few_neighbors);
  CHECK(second_level({}, coarse, {}).reason == Reason::slower);
  Redistribution last(one_second, {});
  (void)last.decide(finest);
  CHECK(last.decide(coarse, true).reason == Reason::coarsest);
}

TEST("redistribution/the first groups have one rank more") {
  for (int ranks = 1; ranks <= 17; ++ranks)
    for (int groups = 1; groups <= ranks; ++groups) {
      CHECK_EQUAL(first_of_group(0, groups, ranks), 0);
      CHECK_EQUAL(first_of_group(groups, groups, ranks), ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        const int group = group_of(rank, groups, ranks);
        CHECK(first_of_group(group, groups, ranks) <= rank);
        CHECK(rank < first_of_group(group + 1, groups, ranks));
      }
    }
  CHECK_EQUAL(first_of_group(1, 3, 7), 3);
  CHECK_EQUAL(first_of_group(2, 3, 7), 5);
}

}  // namespace
}  // namespace odonata::model::tests::test_redistribution
