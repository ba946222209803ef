#include "odonata/workload/algorithms.hpp"

namespace odonata::scatter {

// Open MPI's "linear_nb": the root sends to the ranks in their order, all sends under way at once;
// n-1 messages.
Task linear_in_order(Rank rank, Call call) {
  const Span mine{output, 0, call.bytes};
  if (rank.index() != call.root) {
    co_await rank.recv(call.root, mine);
    co_return;
  }
  std::vector<Request> sends;
  for (int r = 0; r < rank.size(); ++r) {
    const Span block = call.block(input, r);
    if (r == call.root)
      rank.copy(mine, block);
    else
      sends.push_back(rank.isend(r, block));
  }
  co_await rank.wait_all(sends);
}

}  // namespace odonata::scatter
