#include "odonata/live/ready_ranks.hpp"

#include <set>
#include <vector>

#include "check.hpp"

namespace odonata::tests::ready_ranks_test {

using odonata::live::ReadyRanks;

namespace {

std::vector<int> take_all(ReadyRanks& turns) {
  std::vector<int> taken;
  for (int rank = turns.take(); rank >= 0; rank = turns.take()) taken.push_back(rank);
  return taken;
}

ReadyRanks with(int num_ranks, const std::vector<int>& ranks) {
  ReadyRanks turns(num_ranks);
  for (const int rank : ranks) turns.add(rank);
  return turns;
}

}  // namespace

TEST("ready ranks/up through the ranks, then down, each rank once for all its wakes") {
  ReadyRanks turns = with(200, {130, 3, 64, 3, 63, 199});
  CHECK_EQUAL(take_all(turns) == (std::vector{3, 63, 64, 130, 199}), true);
  for (const int rank : {0, 64, 127, 128}) turns.add(rank);
  CHECK_EQUAL(take_all(turns) == (std::vector{128, 127, 64, 0}), true);
  CHECK_EQUAL(turns.take(), -1);
}

TEST("ready ranks/a rank behind the sweep waits for the way back, one before it does not") {
  ReadyRanks turns = with(100, {10, 20, 30});
  CHECK_EQUAL(turns.take(), 10);
  CHECK_EQUAL(turns.take(), 20);
  turns.add(5);
  turns.add(20);
  turns.add(99);
  CHECK_EQUAL(take_all(turns) == (std::vector{30, 99, 20, 5}), true);
}

TEST("ready ranks/one rank, and numbers of ranks at the ends of a word") {
  for (const int n : {1, 63, 64, 65, 128, 129}) {
    ReadyRanks turns = with(n, {n - 1, 0});
    CHECK_EQUAL(turns.take(), 0);
    CHECK_EQUAL(turns.take(), n == 1 ? -1 : n - 1);
    turns.add(n - 1);
    CHECK_EQUAL(turns.take(), n - 1);
    CHECK_EQUAL(turns.take(), -1);
  }
}

// Each rank of a ring goes as far as it has messages from its neighbour, whatever the direction.
TEST("ready ranks/a ring of either direction takes few turns") {
  constexpr int ranks = 100, steps = 60;
  for (const int direction : {1, ranks - 1}) {
    std::vector<int> done(ranks), mail(ranks, 1);
    ReadyRanks turns(ranks);
    for (int rank = 0; rank < ranks; ++rank) turns.add(rank);
    int num_turns = 0;
    for (int rank = turns.take(); rank >= 0; rank = turns.take(), ++num_turns) {
      const int next = (rank + direction) % ranks;
      for (; mail[rank] > 0 && done[rank] < steps; --mail[rank], ++done[rank]) {
        ++mail[next];
        turns.add(next);
      }
    }
    CHECK_EQUAL(std::set<int>(done.begin(), done.end()) == std::set<int>{steps}, true);
    CHECK_EQUAL(num_turns < ranks * steps / 10, true);
  }
}

}  // namespace odonata::tests::ready_ranks_test
