#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::allgather {

// Bine butterfly from the largest distance down: log2 n exchanges of blocks that lie together in
// the order of the ranks' numbers, in scratch; in the end each block is copied to its place. Other
// counts than powers of two go block by block.
Task bine_permute(Rank rank, Call call) {
  const int n = rank.size();
  if (!bine::power_of_two(n)) {
    Task instead = bine_block_by_block(rank, call);
    co_await instead;
    co_return;
  }
  const auto numbers = bine::numbers(rank, n);
  rank.copy(call.block(scratch, numbers->of[rank.index()]), {input, 0, call.bytes});
  const bine::Pieces pieces{scratch, Blocks(std::vector<Bytes>(n, call.bytes))};
  Task gathered = bine::gather_by_numbers(rank, pieces);
  co_await gathered;
  for (int r = 0; r < n; ++r) rank.copy(call.block(output, r), call.block(scratch, numbers->of[r]));
}

}  // namespace odonata::allgather
