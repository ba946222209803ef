#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down a tree of radix 4, as in Open MPI; n-1 messages a segment.
Task knomial(Rank rank, Call call) { return trees::broadcast(rank, call, trees::four_nomial); }

}  // namespace odonata::bcast
