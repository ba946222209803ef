#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down a binary tree, as in Open MPI; n-1 messages a segment.
Task binary(Rank rank, Call call) { return trees::broadcast(rank, call, trees::binary); }

}  // namespace odonata::bcast
