#include <algorithm>
#include <bit>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bcast/scatter.hpp"

namespace odonata::bcast {

Task scatter(Rank rank, int root, FullChunks chunks) {
  const int n = chunks.count, me = (rank.index() + n - root) % n;
  const auto peer = [&](int relative) { return (relative + root) % n; };
  int subtree = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)));
  if (me > 0) {
    subtree = me & -me;
    const Span mine = chunks.of(output, me, std::min(me + subtree, n));
    if (mine.bytes > 0) co_await rank.recv(peer(me - subtree), mine);
  }
  for (int half = subtree / 2; half > 0; half /= 2) {
    if (me + half >= n) continue;
    const Span theirs = chunks.of(me == 0 ? input : output, me + half, std::min(me + 2 * half, n));
    if (theirs.bytes > 0) co_await rank.send(peer(me + half), theirs);
  }
}

// Van de Geijn's, as MPICH broadcasts long messages: a binomial scatter of n chunks, then a ring
// allgather, which passes empty chunks on as well.
Task scatter_allgather(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const FullChunks chunks{n, call.bytes};
  Task first = scatter(rank, call.root, chunks);
  co_await first;
  if (me == 0) rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});
  const int right = (rank.index() + 1) % n, left = (rank.index() + n - 1) % n;
  for (int step = 0, mine = me; step < n - 1; ++step) {
    const int next = (mine + n - 1) % n;
    co_await rank.sendrecv(right, chunks.of(output, mine, mine + 1), left,
                           chunks.of(output, next, next + 1));
    mine = next;
  }
}

}  // namespace odonata::bcast
