#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::reduce_scatter {

// Bine butterfly from the smallest distance up: blocks are first copied in the order of the ranks'
// numbers, so that halves of them lie together; log2 n exchanges of halves. Other counts than
// powers of two go block by block. Sums in scratch, received after them.
Task bine_permute(Rank rank, Call call) {
  const int n = rank.size();
  if (!bine::power_of_two(n)) {
    Task instead = bine_block_by_block(rank, call);
    co_await instead;
    co_return;
  }
  const auto numbers = bine::numbers(rank, n);
  bine::Pieces pieces{scratch, {}};
  for (const int r : numbers->rank) pieces.blocks.push_back(call.block(input, r).bytes);
  if (pieces.bytes() == 0) co_return;
  for (int r = 0; r < n; ++r) rank.copy(pieces.of(numbers->of[r]), call.block(input, r));
  Task reduced = bine::reduce_by_numbers(rank, pieces, pieces.bytes());
  co_await reduced;
  const Span mine = pieces.of(numbers->of[rank.index()]);
  rank.copy({output, 0, mine.bytes}, mine);
}

}  // namespace odonata::reduce_scatter
