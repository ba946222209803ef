#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up a binary tree, as in Open MPI; n-1 messages a segment.
Task binary(Rank rank, Call call) { return trees::reduce(rank, call, trees::binary); }

}  // namespace odonata::reduce
