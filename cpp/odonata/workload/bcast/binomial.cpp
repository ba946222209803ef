#include <bit>

#include "odonata/workload/algorithms.hpp"

namespace odonata::bcast {

// MPICH's algorithm: a rank with the data sends them half-way to the next such rank, counted from
// the root; n-1 messages in ceil(log2 n) rounds.
Task binomial(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const auto peer = [&](int relative) { return (relative + call.root) % n; };
  const Span data{me == 0 ? input : output, 0, call.bytes};
  int subtree = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
  if (me > 0) {
    subtree = me & -me;
    co_await rank.recv(peer(me - subtree), data);
  }
  for (int half = subtree / 2; half > 0; half /= 2)
    if (me + half < n) co_await rank.send(peer(me + half), data);
  if (me == 0) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
