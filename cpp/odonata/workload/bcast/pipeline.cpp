#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down one chain of all ranks, as in Open MPI; n-1 messages a segment.
Task pipeline(Rank rank, Call call) { return trees::broadcast(rank, call, trees::pipeline); }

}  // namespace odonata::bcast
