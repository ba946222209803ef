#include <array>

#include "odonata/workload/algorithms.hpp"

namespace odonata::reduce_scatter {

// Open MPI's algorithm for long messages: n-1 steps to the right, each passing on the sums of the
// block received in the step before, of which the next one is already awaited; nothing if all
// blocks are empty. Sums in scratch, received after them.
Task ring(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index(), right = (me + 1) % n, left = (me + n - 1) % n;
  const Bytes all = call.blocks(input, 0, n).bytes;
  if (all == 0) co_return;
  rank.copy({scratch, 0, all}, {input, 0, all});
  // The blocks that arrive, in turn; the last one is the own one.
  const auto arriving = [&](int step) { return call.block(scratch, (me + 2 * n - 2 - step) % n); };
  const auto arrived = [&](int step) {
    const Span sum = arriving(step);
    return Span{scratch, all + sum.offset, sum.bytes};
  };
  std::array<Request, 2> requests;
  if (n > 1) {
    requests[0] = rank.irecv(left, arrived(0));
    co_await rank.send(right, call.block(scratch, left));
  }
  for (int step = 0; step < n - 1; ++step) {
    const auto now = static_cast<std::size_t>(step % 2);
    if (step + 1 < n - 1) requests[1 - now] = rank.irecv(left, arrived(step + 1));
    co_await rank.wait(requests[now]);
    rank.combine(arriving(step), arrived(step));
    if (step + 1 < n - 1) co_await rank.send(right, arriving(step));
  }
  const Span mine = call.block(scratch, me);
  rank.copy({output, 0, mine.bytes}, mine);
}

}  // namespace odonata::reduce_scatter
