#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce_scatter {

// Open MPI's "nonoverlapping": a reduce of all blocks to rank 0 up a binomial tree, then a
// scatterv, one send after the other; 2 (n-1) messages.
Task reduce_scatterv(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Bytes all = call.blocks(input, 0, n).bytes;
  if (all == 0) co_return;
  Task up =
      trees::combine_up(rank, trees::place_in(trees::binomial, rank, 0), {scratch, 0, all}, 0, all);
  co_await up;
  const Span mine{output, 0, call.block(input, me).bytes};
  if (me > 0) {
    co_await rank.recv(0, mine);
    co_return;
  }
  rank.copy(mine, call.block(scratch, 0));
  for (int r = 1; r < n; ++r) co_await rank.send(r, call.block(scratch, r));
}

}  // namespace odonata::reduce_scatter
