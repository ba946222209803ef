#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::reduce_scatter {

// Bine butterfly from the smallest distance up, each block in a message of its own: n-1 messages a
// rank in ceil(log2 n) steps. For even counts; odd ones go pairwise. Sums in scratch, received
// after them.
Task bine_block_by_block(Rank rank, Call call) {
  const int n = rank.size();
  if (n % 2 != 0) {
    Task instead = pairwise(rank, call);
    co_await instead;
    co_return;
  }
  const bine::Pieces pieces = bine::copied_to_scratch(rank, call);
  if (pieces.bytes() == 0) co_return;
  Task reduced = bine::reduce_pieces(rank, pieces, pieces.bytes());
  co_await reduced;
  const Span mine = pieces.of(rank.index());
  rank.copy({output, 0, mine.bytes}, mine);
}

}  // namespace odonata::reduce_scatter
