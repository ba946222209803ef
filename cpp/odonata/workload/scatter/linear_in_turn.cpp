#include "odonata/workload/algorithms.hpp"

namespace odonata::scatter {

// Open MPI's basic algorithm: the root sends to one rank after the other; n-1 messages.
Task linear_in_turn(Rank rank, Call call) {
  const Span mine{output, 0, call.bytes};
  if (rank.index() != call.root) {
    co_await rank.recv(call.root, mine);
    co_return;
  }
  for (int r = 0; r < rank.size(); ++r) {
    const Span block = call.block(input, r);
    if (r == call.root)
      rank.copy(mine, block);
    else
      co_await rank.send(r, block);
  }
}

}  // namespace odonata::scatter
