#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoall {

// Open MPI's algorithm: all receives, from the rank above on, and all sends, from the rank below
// on, at once; n-1 messages a rank.
Task linear(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  rank.copy(call.block(output, me), call.block(input, me));
  std::vector<Request> requests;
  for (int i = 1; i < n; ++i)
    requests.push_back(rank.irecv((me + i) % n, call.block(output, (me + i) % n)));
  for (int i = 1; i < n; ++i)
    requests.push_back(rank.isend((me + n - i) % n, call.block(input, (me + n - i) % n)));
  co_await rank.wait_all(requests);
}

}  // namespace odonata::alltoall
