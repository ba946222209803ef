#include "odonata/workload/algorithms.hpp"

namespace odonata::exscan {

// MPICH's algorithm: in step k, ranks that differ in bit k exchange the sums of their subtrees of
// 2^k ranks, and the upper one adds it to its result, which begins with the first that it gets:
// ceil(log2 n) steps of b bytes.
Task recursive_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Span result{output, 0, call.bytes};
  const Span subtree{scratch, 0, call.bytes}, received{scratch, call.bytes, call.bytes};
  rank.copy(subtree, {input, 0, call.bytes});
  bool begun = false;
  for (int distance = 1; distance < n; distance *= 2) {
    const int partner = me ^ distance;
    if (partner >= n) continue;
    co_await rank.sendrecv(partner, subtree, partner, received);
    rank.combine(subtree, received);
    if (partner > me) continue;
    if (begun)
      rank.combine(result, received);
    else
      rank.copy(result, received);
    begun = true;
  }
}

}  // namespace odonata::exscan
