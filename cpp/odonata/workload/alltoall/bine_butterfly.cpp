#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::alltoall {

namespace {

// Rank whose blocks arrive at this place: bit k says that they crossed in step k.
int source_of(int place, int rank, int ranks) {
  for (int step = bine::steps(ranks) - 1; step >= 0; --step)
    if ((place >> step & 1) != 0) rank = bine::partner(rank, step, ranks);
  return rank;
}

}  // namespace

// Bine butterfly from the smallest distance up: in each of log2 n steps, a rank sends the half of
// all blocks that it has whose destinations have numbers of its partner's half, packed. Other
// counts than powers of two take Bruck's algorithm.
//
//     scratch    [0, n)    blocks that a rank has, by where they crossed, then by destination
//                [n, ...)  packed to send
Task bine_butterfly(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  if (!bine::power_of_two(n)) {
    Task instead = bruck(rank, call);
    co_await instead;
    co_return;
  }
  const auto numbers = bine::numbers(rank, n);
  std::vector<int> destinations(n);
  for (int i = 0; i < n; ++i) destinations[i] = i;
  rank.copy(call.blocks(scratch, 0, n), call.blocks(input, 0, n));
  for (int step = 0, count = n / 2; count > 0; ++step, count /= 2) {
    const int partner = bine::partner(me, step, n);
    const int theirs = bine::window(numbers->of[partner], count);
    std::vector<int> kept;
    for (const int to : destinations)
      if (bine::window(numbers->of[to], count) != theirs) kept.push_back(to);
    int stays = 0, leaves = 0;
    for (int i = 0; i < n; ++i) {
      const int to = destinations[i % (2 * count)];
      const bool crosses = bine::window(numbers->of[to], count) == theirs;
      const int place = crosses ? n + leaves++ : stays++;
      if (place != i) rank.copy(call.block(scratch, place), call.block(scratch, i));
    }
    co_await rank.sendrecv(partner, call.blocks(scratch, n, n + leaves), partner,
                           call.blocks(scratch, stays, n));
    destinations = std::move(kept);
  }
  for (int i = 0; i < n; ++i)
    rank.copy(call.block(output, source_of(i, me, n)), call.block(scratch, i));
}

}  // namespace odonata::alltoall
