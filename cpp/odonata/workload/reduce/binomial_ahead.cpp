#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up a binomial tree, as in Open MPI: the next message is awaited while one is combined; n-1
// messages a segment.
Task binomial_ahead(Rank rank, Call call) {
  const Span sum{rank.index() == call.root ? output : scratch, 0, call.bytes};
  Task up = trees::combine_up(rank, trees::place_in(trees::binomial, rank, call.root), sum,
                              call.parameter, call.bytes);
  co_await up;
}

}  // namespace odonata::reduce
