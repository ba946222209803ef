#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::reduce {

// Up a binary tree that combines the ranks in order, to the last rank, which sends the sum to the
// root, as in Open MPI for operators that do not commute; n-1 messages a segment, and that one.
Task in_order_binary(Rank rank, Call call) {
  const int last = rank.size() - 1, me = rank.index();
  const bool keeps = me == last && call.root == last;
  const Span sum{keeps ? output : scratch, 0, call.bytes};
  Task up = trees::combine_up(rank, trees::place_in(trees::in_order_binary, rank, 0), sum,
                              call.parameter, call.bytes);
  co_await up;
  if (call.root == last) co_return;
  if (me == last) co_await rank.send(call.root, sum);
  if (me == call.root) co_await rank.recv(last, {output, 0, call.bytes});
}

}  // namespace odonata::reduce
