#include "odonata/workload/algorithms.hpp"

namespace odonata::gather {

// Every rank sends its block to the root, which has posted all receives; n-1 messages.
Task linear(Rank rank, Call call) {
  const Span mine{input, 0, call.bytes};
  if (rank.index() != call.root) {
    co_await rank.send(call.root, mine);
    co_return;
  }
  std::vector<Request> receives;
  for (int r = 0; r < rank.size(); ++r)
    if (r != call.root) receives.push_back(rank.irecv(r, call.block(output, r)));
  rank.copy(call.block(output, call.root), mine);
  co_await rank.wait_all(receives);
}

}  // namespace odonata::gather
