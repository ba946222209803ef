#include <algorithm>
#include <bit>

#include "odonata/workload/algorithms.hpp"

namespace odonata::scatter {

// The study's TREE, as in MPICH: blocks of half the remaining ranks go to the rank in their
// middle, counted from the root; n-1 messages in ceil(log2 n) rounds. Another root than 0 packs
// its blocks first.
Task binomial(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const auto peer = [&](int relative) { return (relative + call.root) % n; };
  int subtree = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
  if (me > 0) subtree = me & -me;
  const bool leaf = subtree == 1, straight = me == 0 && call.root == 0;
  const Span here{straight ? input : scratch, 0, std::min(subtree, n - me) * call.bytes};
  if (me > 0) {
    const Span into = leaf ? Span{output, 0, call.bytes} : here;
    co_await rank.recv(peer(me - subtree), into);
  } else if (!straight) {
    const Bytes tail = (n - call.root) * call.bytes, head = call.root * call.bytes;
    rank.copy({scratch, 0, tail}, {input, head, tail});
    rank.copy({scratch, tail, head}, {input, 0, head});
  }
  for (int half = subtree / 2; half > 0; half /= 2)
    if (me + half < n) {
      const Bytes count = std::min(half, n - me - half);
      co_await rank.send(peer(me + half), here.part(half * call.bytes, count * call.bytes));
    }
  if (!leaf || me == 0) rank.copy({output, 0, call.bytes}, here.part(0, call.bytes));
}

}  // namespace odonata::scatter
