#include <algorithm>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allgather/spread.hpp"

namespace odonata::allgather {

Task spread(Rank rank, int half, int have, Span blocks) {
  const int me = rank.index();
  for (int distance = half / 2; distance > 0; distance /= 2) {
    const int low = me - me % (2 * distance), partner = me ^ distance;
    const bool mine = me < low + have, theirs = partner < low + have;
    if (partner > me && mine && !theirs) co_await rank.send(partner, blocks);
    if (partner < me && theirs && !mine) co_await rank.recv(partner, blocks);
  }
}

// In step k, ranks that differ in bit k exchange all blocks of their subtrees of 2^k ranks. Where
// the upper subtree is not full (other counts than powers of two), the lower one's ranks without a
// partner get its blocks from ranks with a partner, as in MPICH.
Task recursive_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const auto blocks = [&](int first, int last) {
    return Span{output, first * call.bytes, (std::min(last, n) - first) * call.bytes};
  };
  rank.copy(blocks(me, me + 1), {input, 0, call.bytes});
  for (int half = 1; half < n; half *= 2) {
    const int partner = me ^ half, mine = me - me % half, theirs = partner - partner % half;
    if (partner < n)
      co_await rank.sendrecv(partner, blocks(mine, mine + half), partner,
                             blocks(theirs, theirs + half));
    if (theirs >= n || theirs + half <= n) continue;
    Task rest = spread(rank, half, n - theirs, blocks(theirs, n));
    co_await rest;
  }
}

}  // namespace odonata::allgather
