#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up a binomial tree, as in Open MPI: the next message is awaited while one is combined; n-1
// messages a segment.
Task binomial_ahead(Rank rank, Call call) { return trees::reduce(rank, call, trees::binomial); }

}  // namespace odonata::reduce
