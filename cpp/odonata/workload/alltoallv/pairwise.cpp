#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoallv {

// Open MPI's algorithm: step i sends to the rank i above and receives from the rank i below. n-1
// messages a rank, with the empty ones.
Task pairwise(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  rank.copy(call.from(output, me), call.block(input, me));
  for (int i = 1; i < n; ++i) {
    const int to = (me + i) % n, source = (me + n - i) % n;
    co_await rank.sendrecv(to, call.block(input, to), source, call.from(output, source));
  }
}

}  // namespace odonata::alltoallv
