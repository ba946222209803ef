#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up four chains of a quarter of the ranks each, as in Open MPI; n-1 messages a segment.
Task chain(Rank rank, Call call) {
  const Span sum{rank.index() == call.root ? output : scratch, 0, call.bytes};
  Task up = trees::combine_up(rank, trees::place_in(trees::four_chains, rank, call.root), sum,
                              call.parameter, call.bytes);
  co_await up;
}

}  // namespace odonata::reduce
