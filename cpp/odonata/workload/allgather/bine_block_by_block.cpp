#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::allgather {

// Bine butterfly from the largest distance down, each block in a message of its own at its place:
// n-1 messages a rank in ceil(log2 n) steps. For even counts; odd ones take the ring.
Task bine_block_by_block(Rank rank, Call call) {
  const int n = rank.size();
  if (n % 2 != 0) {
    Task instead = ring(rank, call);
    co_await instead;
    co_return;
  }
  rank.copy(call.block(output, rank.index()), {input, 0, call.bytes});
  const bine::Pieces pieces{output, Blocks(std::vector<Bytes>(n, call.bytes))};
  Task gathered = bine::gather_pieces(rank, pieces);
  co_await gathered;
}

}  // namespace odonata::allgather
