#include <algorithm>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allgather/spread.hpp"
#include "odonata/workload/bcast/scatter.hpp"

namespace odonata::bcast {

// A binomial scatter of n chunks, then an allgather by recursive doubling, as in Open MPI and, for
// powers of two, in MPICH for medium messages: ceil(log2 n) steps each.
Task scatter_recursive_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const FullChunks chunks{n, call.bytes};
  Task first = scatter(rank, call.root, chunks);
  co_await first;
  if (me == 0) rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});

  std::vector<int> from_root(n);
  for (int r = 0; r < n; ++r) from_root[r] = (r + call.root) % n;
  const Rank turned = rank.on(from_root, rank.context());
  const auto of = [&](int begin, int end) { return chunks.of(output, begin, std::min(end, n)); };
  for (int half = 1; half < n; half *= 2) {
    const int partner = me ^ half, mine = me - me % half, theirs = partner - partner % half;
    if (partner < n)
      co_await turned.sendrecv(partner, of(mine, mine + half), partner, of(theirs, theirs + half));
    if (theirs >= n || theirs + half <= n) continue;
    Task rest = allgather::spread(turned, half, n - theirs, of(theirs, n));
    co_await rest;
  }
}

}  // namespace odonata::bcast
