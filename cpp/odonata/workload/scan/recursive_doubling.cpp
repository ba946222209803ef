#include "odonata/workload/algorithms.hpp"

namespace odonata::scan {

// MPICH's algorithm: in step k, ranks that differ in bit k exchange the sums of their subtrees of
// 2^k ranks, and the upper one adds it to its result: ceil(log2 n) steps of b bytes.
Task recursive_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Span result{output, 0, call.bytes};
  const Span subtree{scratch, 0, call.bytes}, received{scratch, call.bytes, call.bytes};
  rank.copy(result, {input, 0, call.bytes});
  rank.copy(subtree, {input, 0, call.bytes});
  for (int distance = 1; distance < n; distance *= 2) {
    const int partner = me ^ distance;
    if (partner >= n) continue;
    co_await rank.sendrecv(partner, subtree, partner, received);
    rank.combine(subtree, received);
    if (partner < me) rank.combine(result, received);
  }
}

}  // namespace odonata::scan
