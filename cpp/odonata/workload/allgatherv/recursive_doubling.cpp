#include <algorithm>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allgather/spread.hpp"

namespace odonata::allgatherv {

// In step k, ranks that differ in bit k exchange all blocks of their subtrees of 2^k ranks; where
// the upper subtree is not full, the lower one's ranks without a partner get its blocks from ranks
// with a partner, as in MPICH.
Task recursive_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const auto blocks = [&](int first, int last) {
    return call.blocks(output, first, std::min(last, n));
  };
  const Span mine = blocks(me, me + 1);
  rank.copy(mine, {input, 0, mine.bytes});
  for (int half = 1; half < n; half *= 2) {
    const int partner = me ^ half, own = me - me % half, theirs = partner - partner % half;
    if (partner < n)
      co_await rank.sendrecv(partner, blocks(own, own + half), partner,
                             blocks(theirs, theirs + half));
    if (theirs >= n || theirs + half <= n) continue;
    Task rest = allgather::spread(rank, half, n - theirs, blocks(theirs, n));
    co_await rest;
  }
}

}  // namespace odonata::allgatherv
