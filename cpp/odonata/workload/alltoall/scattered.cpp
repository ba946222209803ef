#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoall {

// MPICH's algorithm: receives from the ranks above and sends to those below, in batches of 32
// peers; each batch ends before the next starts. n-1 messages a rank.
Task scattered(Rank rank, Call call) {
  constexpr int batch = 32;  // MPICH's MPIR_CVAR_ALLTOALL_THROTTLE
  const int n = rank.size(), me = rank.index();
  const auto block = [&](Buffer buffer, int i) { return Span{buffer, i * call.bytes, call.bytes}; };
  rank.copy(block(output, me), block(input, me));
  std::vector<Request> requests;
  for (int begin = 1; begin < n; begin += batch) {
    const int end = std::min(begin + batch, n);
    requests.clear();
    for (int i = begin; i < end; ++i) {
      const int source = (me + i) % n;
      requests.push_back(rank.irecv(source, block(output, source)));
    }
    for (int i = begin; i < end; ++i) {
      const int to = (me + n - i) % n;
      requests.push_back(rank.isend(to, block(input, to)));
    }
    co_await rank.wait_all(requests);
  }
}

}  // namespace odonata::alltoall
