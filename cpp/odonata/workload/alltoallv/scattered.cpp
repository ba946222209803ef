#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoallv {

// MPICH's algorithm: receives from the ranks above and sends to those below, in batches of 32
// peers; each batch ends before the next starts. Nothing for empty blocks, so n-1 messages a rank
// at most.
Task scattered(Rank rank, Call call) {
  constexpr int batch = 32;  // MPICH's MPIR_CVAR_ALLTOALL_THROTTLE
  const int n = rank.size(), me = rank.index();
  rank.copy(call.from(output, me), call.block(input, me));
  std::vector<Request> requests;
  for (int begin = 1; begin < n; begin += batch) {
    const int end = std::min(begin + batch, n);
    requests.clear();
    for (int i = begin; i < end; ++i) {
      const int source = (me + i) % n;
      const Span place = call.from(output, source);
      if (place.bytes > 0) requests.push_back(rank.irecv(source, place));
    }
    for (int i = begin; i < end; ++i) {
      const int to = (me + n - i) % n;
      const Span block = call.block(input, to);
      if (block.bytes > 0) requests.push_back(rank.isend(to, block));
    }
    co_await rank.wait_all(requests);
  }
}

}  // namespace odonata::alltoallv
