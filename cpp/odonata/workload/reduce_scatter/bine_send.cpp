#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::reduce_scatter {

// Bine butterfly from the smallest distance up: log2 n exchanges of halves, after which each rank
// has the sums of the block that is its number, and sends them to the rank whose block it is. Other
// counts than powers of two go block by block. Sums in scratch, received after them.
Task bine_send(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  if (!bine::power_of_two(n)) {
    Task instead = bine_block_by_block(rank, call);
    co_await instead;
    co_return;
  }
  const bine::Pieces pieces = bine::copied_to_scratch(rank, call);
  if (pieces.bytes() == 0) co_return;
  Task reduced = bine::reduce_by_numbers(rank, pieces, pieces.bytes());
  co_await reduced;
  const auto numbers = bine::numbers(rank, n);
  const int number = numbers->of[me];
  const Span mine{output, 0, pieces.of(me).bytes};
  if (number == me)
    rank.copy(mine, pieces.of(me));
  else
    co_await rank.sendrecv(number, pieces.of(number), numbers->rank[me], mine);
}

}  // namespace odonata::reduce_scatter
