#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::allgather {

// Bine butterfly from the largest distance down, as `bine_permute`, with one step before it in
// which each rank gets the block that is its number: then all blocks arrive at their places. Other
// counts than powers of two go block by block.
Task bine_send(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  if (!bine::power_of_two(n)) {
    Task instead = bine_block_by_block(rank, call);
    co_await instead;
    co_return;
  }
  const auto numbers = bine::numbers(rank, n);
  const int number = numbers->of[me];
  const Span mine{input, 0, call.bytes}, first = call.block(output, number);
  if (number == me)
    rank.copy(first, mine);
  else
    co_await rank.sendrecv(numbers->rank[me], mine, number, first);
  const bine::Pieces pieces{output, Blocks(std::vector<Bytes>(n, call.bytes))};
  Task gathered = bine::gather_by_numbers(rank, pieces);
  co_await gathered;
}

}  // namespace odonata::allgather
