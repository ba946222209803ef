#include "odonata/workload/algorithms.hpp"

namespace odonata::reduce {

// Open MPI's basic algorithm: the root receives from one rank after the other, the last one first,
// and combines; n-1 messages.
Task linear(Rank rank, Call call) {
  const Span own{input, 0, call.bytes}, sum{output, 0, call.bytes};
  const Span received{scratch, 0, call.bytes};
  if (rank.index() != call.root) {
    co_await rank.send(call.root, own);
    co_return;
  }
  for (int r = rank.size() - 1; r >= 0; --r) {
    const bool first = r == rank.size() - 1;
    if (r != call.root) co_await rank.recv(r, first ? sum : received);
    const Span data = r == call.root ? own : received;
    if (!first)
      rank.combine(sum, data);
    else if (r == call.root)
      rank.copy(sum, own);
  }
}

}  // namespace odonata::reduce
