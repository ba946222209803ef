#include "odonata/workload/algorithms.hpp"

namespace odonata::gatherv {

// MPICH's algorithm: every rank sends its block to the root, which has posted all receives; nothing
// for empty blocks, so n-1 messages at most.
Task linear(Rank rank, Call call) {
  if (rank.index() != call.root) {
    if (call.bytes > 0) co_await rank.send(call.root, {input, 0, call.bytes});
    co_return;
  }
  std::vector<Request> receives;
  for (int r = 0; r < rank.size(); ++r) {
    const Span place = call.block(output, r);
    if (r == call.root)
      rank.copy(place, {input, 0, place.bytes});
    else if (place.bytes > 0)
      receives.push_back(rank.irecv(r, place));
  }
  co_await rank.wait_all(receives);
}

}  // namespace odonata::gatherv
