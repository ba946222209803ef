#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allreduce {

// Open MPI 6's, for short messages: all data to all ranks by Bruck's steps, then every rank
// combines them; ceil(log2 n) messages a rank.
Task allgather_reduce(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const auto block = [&](int first, int count) {
    return call.blocks(scratch, first, first + count);
  };
  rank.copy(block(0, 1), {input, 0, call.bytes});
  for (int distance = 1; distance < n; distance *= 2) {
    const int count = std::min(distance, n - distance);
    co_await rank.sendrecv((me + n - distance) % n, block(0, count), (me + distance) % n,
                           block(distance, count));
  }
  for (int i = 1; i < n; ++i) rank.combine(block(0, 1), block(i, 1));
  rank.copy({output, 0, call.bytes}, block(0, 1));
}

}  // namespace odonata::allreduce
