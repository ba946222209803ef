#include "odonata/workload/algorithms.hpp"

namespace odonata::reduce {

// MPICH's algorithm for commutative operators: a rank, counted from the root, combines the data of
// children at distances 1, 2, 4, ... and hands the sum to its parent; n-1 messages, ceil(log2 n)
// rounds.
Task binomial(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const auto peer = [&](int relative) { return (relative + call.root) % n; };
  const Span sum{me == 0 ? output : scratch, 0, call.bytes};
  const Span received{scratch, call.bytes, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  int distance = 1;
  for (; distance < n && (me & distance) == 0; distance *= 2) {
    if (me + distance >= n) continue;
    co_await rank.recv(peer(me + distance), received);
    rank.combine(sum, received);
  }
  if (me > 0) co_await rank.send(peer(me - distance), sum);
}

}  // namespace odonata::reduce
