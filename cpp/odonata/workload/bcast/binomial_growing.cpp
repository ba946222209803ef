#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down a binomial tree of growing distances, as in Open MPI: the root serves its nearest child
// first; n-1 messages a segment.
Task binomial_growing(Rank rank, Call call) {
  return trees::broadcast(rank, call, trees::binomial_growing);
}

}  // namespace odonata::bcast
