#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allreduce/fold.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::allreduce {

// Recursive doubling with the distances of Bine trees: log2 n exchanges of all data.
Task bine_doubling(Rank rank, Call call) {
  const Fold how(rank);
  const Span sum{output, 0, call.bytes}, received{scratch, 0, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  Task before = fold(rank, how, sum, received);
  co_await before;
  for (int step = 0; how.number >= 0 && step < bine::steps(how.active); ++step) {
    const int partner = how.rank_of(bine::partner(how.number, step, how.active));
    co_await rank.sendrecv(partner, sum, partner, received);
    rank.combine(sum, received);
  }
  Task after = unfold(rank, how, sum);
  co_await after;
}

}  // namespace odonata::allreduce
