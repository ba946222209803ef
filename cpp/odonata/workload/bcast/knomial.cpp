#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

// Down a tree of radix 4, as in Open MPI; n-1 messages a segment.
Task knomial(Rank rank, Call call) {
  const bool root = rank.index() == call.root;
  const Span data{root ? input : output, 0, call.bytes};
  Task down = trees::send_down(rank, trees::place_in(trees::four_nomial, rank, call.root), data,
                               call.parameter);
  co_await down;
  if (root) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
