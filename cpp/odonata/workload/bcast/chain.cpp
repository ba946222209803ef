#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down four chains of a quarter of the ranks each, as in Open MPI; n-1 messages a segment.
Task chain(Rank rank, Call call) {
  const bool root = rank.index() == call.root;
  const Span data{root ? input : output, 0, call.bytes};
  Task down = trees::send_down(rank, trees::place_in(trees::four_chains, rank, call.root), data,
                               call.parameter);
  co_await down;
  if (root) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
