#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down a binomial tree of growing distances, as in Open MPI: the root serves its nearest child
// first; n-1 messages a segment.
Task binomial_growing(Rank rank, Call call) {
  const bool root = rank.index() == call.root;
  const Span data{root ? input : output, 0, call.bytes};
  Task down = trees::send_down(rank, trees::place_in(trees::binomial_growing, rank, call.root),
                               data, call.parameter);
  co_await down;
  if (root) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
