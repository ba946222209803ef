#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::allgather {

namespace {

// A stretch that goes past the end of the ring, packed in scratch from `to` on; else its place.
Span packed(const Rank& rank, const Call& call, const bine::Stretch& has, int from, Bytes to,
            bool unpack) {
  const Span end = has.to_end(call, output, from), start = has.from_start(call, output, from);
  if (from + has.count <= has.ranks) return end;
  const Span first{scratch, to, end.bytes}, second{scratch, to + end.bytes, start.bytes};
  rank.copy(unpack ? end : first, unpack ? first : end);
  rank.copy(unpack ? start : second, unpack ? second : start);
  return {scratch, to, end.bytes + start.bytes};
}

}  // namespace

// The same as `bine_two_blocks`, with blocks that go past the end of the ring packed into one
// message, as MPI does it with a derived datatype: log2 n messages a rank.
Task bine_two_blocks_packed(Rank rank, Call call) {
  const int n = rank.size();
  if (!bine::power_of_two(n)) {
    Task instead = bine_block_by_block(rank, call);
    co_await instead;
    co_return;
  }
  const Bytes room = n * call.bytes;  // [B] of scratch for sends
  rank.copy(call.block(output, rank.index()), {input, 0, call.bytes});
  for (bine::Stretch has{n, rank.index()}; has.count < n; has.extend()) {
    const int partner = bine::partner(rank.index(), has.step, n), next = has.next();
    const bool gets_two = next + has.count > n;
    const Span arrived =
        gets_two ? Span{scratch, room, has.count * call.bytes} : has.to_end(call, output, next);
    co_await rank.sendrecv(partner, packed(rank, call, has, has.first, 0, false), partner, arrived);
    if (gets_two) packed(rank, call, has, next, room, true);
  }
}

}  // namespace odonata::allgather
