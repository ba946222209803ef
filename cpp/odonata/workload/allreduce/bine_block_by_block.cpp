#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::allreduce {

// Bine butterflies of n chunks, each chunk in a message of its own: chunks are summed from the
// smallest distance up, then known to all from the largest down; 2 (n-1) messages a rank. For even
// counts; odd ones take the ring.
Task bine_block_by_block(Rank rank, Call call) {
  const int n = rank.size();
  if (n % 2 != 0) {
    Task instead = ring(rank, call);
    co_await instead;
    co_return;
  }
  rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});
  bine::Pieces pieces{output, {}};
  const EvenChunks chunks{n, call.bytes};
  for (int i = 0; i < n; ++i) pieces.blocks.push_back(chunks.start(i + 1) - chunks.start(i));
  Task reduced = bine::reduce_pieces(rank, pieces, 0);
  co_await reduced;
  Task gathered = bine::gather_pieces(rank, pieces);
  co_await gathered;
}

}  // namespace odonata::allreduce
