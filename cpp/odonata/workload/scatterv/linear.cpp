#include "odonata/workload/algorithms.hpp"

namespace odonata::scatterv {

// MPICH's algorithm: the root starts a send to every other rank, in their order, and waits for all;
// nothing for empty blocks, so n-1 messages at most.
Task linear(Rank rank, Call call) {
  if (rank.index() != call.root) {
    if (call.bytes > 0) co_await rank.recv(call.root, {output, 0, call.bytes});
    co_return;
  }
  std::vector<Request> sends;
  for (int r = 0; r < rank.size(); ++r) {
    const Span block = call.block(input, r);
    if (r == call.root)
      rank.copy({output, 0, block.bytes}, block);
    else if (block.bytes > 0)
      sends.push_back(rank.isend(r, block));
  }
  co_await rank.wait_all(sends);
}

}  // namespace odonata::scatterv
