#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::bcast {

// The same tree as `bine_tree`, with one send of a rank after the other.
Task bine_tree_blocking(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = binomial(rank, call);
    co_await instead;
    co_return;
  }
  const auto peer = [&](int step) { return (bine::partner(me, step, n) + call.root) % n; };
  const Span data{me == 0 ? input : output, 0, call.bytes};
  const int reached = bine::reached_falling(me, n);
  if (me > 0) co_await rank.recv(peer(reached), data);
  for (int step = reached - 1; step >= 0; --step) co_await rank.send(peer(step), data);
  if (me == 0) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
