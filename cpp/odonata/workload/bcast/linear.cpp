#include "odonata/workload/algorithms.hpp"

namespace odonata::bcast {

// Open MPI's basic algorithm: the root sends to all ranks at once; n-1 messages.
Task linear(Rank rank, Call call) {
  if (rank.index() != call.root) {
    co_await rank.recv(call.root, {output, 0, call.bytes});
    co_return;
  }
  const Span data{input, 0, call.bytes};
  std::vector<Request> sends;
  for (int r = 0; r < rank.size(); ++r)
    if (r != call.root) sends.push_back(rank.isend(r, data));
  co_await rank.wait_all(sends);
  rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
