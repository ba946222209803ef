#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoall {

// Open MPI's algorithm: one peer at a time, to the rank i above and from the rank i below, also
// where n is a power of two. n-1 messages a rank.
Task pairwise_ring(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  for (int i = 1; i < n; ++i) {
    const int to = (me + i) % n, source = (me + n - i) % n;
    co_await rank.sendrecv(to, call.block(input, to), source, call.block(output, source));
  }
  rank.copy(call.block(output, me), call.block(input, me));
}

}  // namespace odonata::alltoall
