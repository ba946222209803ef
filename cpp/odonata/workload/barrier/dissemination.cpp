#include "odonata/workload/algorithms.hpp"

namespace odonata::barrier {

// Hensgen, Finkel, Manber 1988, as in MPICH: in step k an empty message to the rank 2^k above and
// one from the rank 2^k below; ceil(log2 n) steps.
Task dissemination(Rank rank, Call) {
  const int n = rank.size(), me = rank.index();
  for (int distance = 1; distance < n; distance *= 2)
    co_await rank.sendrecv((me + distance) % n, Span{}, (me + n - distance) % n, Span{});
}

}  // namespace odonata::barrier
