#include "odonata/workload/algorithms.hpp"

namespace odonata::allreduce {

// Open MPI's basic algorithm: rank 0 receives from one rank after the other, the last one first,
// then sends the sum to all at once; 2 (n-1) messages.
Task linear(Rank rank, Call call) {
  const Span sum{output, 0, call.bytes};
  call.root = 0;
  Task reduced = reduce::linear(rank, call);
  co_await reduced;
  if (rank.index() > 0) {
    co_await rank.recv(0, sum);
    co_return;
  }
  std::vector<Request> sends;
  for (int r = 1; r < rank.size(); ++r) sends.push_back(rank.isend(r, sum));
  co_await rank.wait_all(sends);
}

}  // namespace odonata::allreduce
