#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down four chains of a quarter of the ranks each, as in Open MPI; n-1 messages a segment.
Task chain(Rank rank, Call call) { return trees::broadcast(rank, call, trees::four_chains); }

}  // namespace odonata::bcast
