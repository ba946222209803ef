#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::allgather {

// Bine butterfly from the smallest distance up: log2 n exchanges of the blocks that a rank has,
// which lie together on a ring; where they go past its end, those from its start on are a message
// of their own. Other counts than powers of two go block by block.
Task bine_two_blocks(Rank rank, Call call) {
  const int n = rank.size();
  if (!bine::power_of_two(n)) {
    Task instead = bine_block_by_block(rank, call);
    co_await instead;
    co_return;
  }
  rank.copy(call.block(output, rank.index()), {input, 0, call.bytes});
  for (bine::Stretch has{n, rank.index()}; has.count < n; has.extend()) {
    const int partner = bine::partner(rank.index(), has.step, n), next = has.next();
    const bool sends_two = has.first + has.count > n, gets_two = next + has.count > n;
    Request second;
    if (gets_two) second = rank.irecv(partner, has.from_start(call, output, next), 1);
    if (sends_two) co_await rank.send(partner, has.from_start(call, output, has.first), 1);
    co_await rank.sendrecv(partner, has.to_end(call, output, has.first), partner,
                           has.to_end(call, output, next));
    if (gets_two) co_await rank.wait(second);
  }
}

}  // namespace odonata::allgather
