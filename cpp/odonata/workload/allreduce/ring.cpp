#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::allreduce {

// Patarasuk and Yuan 2009: n chunks go round twice, first to be summed, then to be
// known to all: 2 (n-1) steps to the right of b/n bytes each.
Task ring(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index(), right = (me + 1) % n, left = (me + n - 1) % n;
  const FullChunks chunks{n, call.bytes};
  const auto chunk = [&](Buffer buffer, int i) { return chunks.of(buffer, i, i + 1); };
  rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});
  int sent = left;  // in the end the own one is summed
  for (int step = 0; step < 2 * (n - 1); ++step) {
    const int next = (sent + n - 1) % n;
    const bool sums = step < n - 1;
    co_await rank.sendrecv(right, chunk(output, sent), left, chunk(sums ? scratch : output, next));
    if (sums) rank.combine(chunk(output, next), chunk(scratch, next));
    sent = next;
  }
}

}  // namespace odonata::allreduce
