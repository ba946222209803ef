#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::gather {

// MPICH's algorithm: a rank, counted from the root, collects the blocks of its subtree from
// children at distances 1, 2, 4, ... and hands them to its parent; n-1 messages in ceil(log2 n)
// rounds. Another root than 0 collects in scratch and rotates.
Task binomial(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const auto peer = [&](int relative) { return (relative + call.root) % n; };
  const bool straight = me == 0 && call.root == 0, leaf = me % 2 != 0 || me + 1 == n;
  const auto blocks = [&](int first, int count) {
    return Span{straight ? output : scratch, first * call.bytes, count * call.bytes};
  };
  const Span own{input, 0, call.bytes};
  if (!leaf || me == 0) rank.copy(blocks(0, 1), own);
  int distance = 1;
  for (; distance < n && (me & distance) == 0; distance *= 2)
    if (me + distance < n)
      co_await rank.recv(peer(me + distance),
                         blocks(distance, std::min(distance, n - me - distance)));
  if (me > 0) {
    const Span all = leaf ? own : blocks(0, std::min(distance, n - me));
    co_await rank.send(peer(me - distance), all);
  } else if (!straight) {
    const Bytes tail = (n - call.root) * call.bytes, head = call.root * call.bytes;
    rank.copy({output, head, tail}, {scratch, 0, tail});
    rank.copy({output, 0, head}, {scratch, tail, head});
  }
}

}  // namespace odonata::gather
