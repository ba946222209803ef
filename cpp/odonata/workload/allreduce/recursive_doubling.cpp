#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allreduce/fold.hpp"

namespace odonata::allreduce {

// In step k, ranks whose numbers differ in bit k exchange their sums: log2 n steps of b bytes.
Task recursive_doubling(Rank rank, Call call) {
  const Fold how(rank);
  const Span sum{output, 0, call.bytes}, received{scratch, 0, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  Task before = fold(rank, how, sum, received);
  co_await before;
  for (int distance = 1; how.number >= 0 && distance < how.active; distance *= 2) {
    const int partner = how.rank_of(how.number ^ distance);
    co_await rank.sendrecv(partner, sum, partner, received);
    rank.combine(sum, received);
  }
  Task after = unfold(rank, how, sum);
  co_await after;
}

}  // namespace odonata::allreduce
