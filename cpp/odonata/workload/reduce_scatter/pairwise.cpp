#include "odonata/workload/algorithms.hpp"

namespace odonata::reduce_scatter {

// MPICH's algorithm for long messages: in step i every rank sends the rank i above its block and
// combines its own one from the rank i below: n-1 steps, no messages if all blocks are empty.
Task pairwise(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Span mine = call.block(input, me);
  const Span sum{output, 0, mine.bytes}, received{scratch, 0, mine.bytes};
  if (call.blocks(input, 0, n).bytes == 0) co_return;
  rank.copy(sum, mine);
  for (int i = 1; i < n; ++i) {
    const int to = (me + i) % n, source = (me + n - i) % n;
    co_await rank.sendrecv(to, call.block(input, to), source, received);
    rank.combine(sum, received);
  }
}

}  // namespace odonata::reduce_scatter
