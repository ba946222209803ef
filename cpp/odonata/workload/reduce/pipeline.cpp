#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up one chain of all ranks, as in Open MPI; n-1 messages a segment.
Task pipeline(Rank rank, Call call) { return trees::reduce(rank, call, trees::pipeline); }

}  // namespace odonata::reduce
