#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up one chain of all ranks, as in Open MPI; n-1 messages a segment.
Task pipeline(Rank rank, Call call) {
  const Span sum{rank.index() == call.root ? output : scratch, 0, call.bytes};
  Task up = trees::combine_up(rank, trees::place_in(trees::pipeline, rank, call.root), sum,
                              call.parameter, call.bytes);
  co_await up;
}

}  // namespace odonata::reduce
