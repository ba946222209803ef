#include "odonata/workload/algorithms.hpp"

namespace odonata::gather {

// Open MPI's basic algorithm: the root receives from one rank after the other; n-1 messages.
Task linear_in_turn(Rank rank, Call call) {
  const Span mine{input, 0, call.bytes};
  if (rank.index() != call.root) {
    co_await rank.send(call.root, mine);
    co_return;
  }
  for (int r = 0; r < rank.size(); ++r) {
    const Span place = call.block(output, r);
    if (r == call.root)
      rank.copy(place, mine);
    else
      co_await rank.recv(r, place);
  }
}

}  // namespace odonata::gather
