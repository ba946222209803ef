#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::reduce_scatter {

// Recursive halving with distances that grow: ranks that differ in bit k exchange halves in step k,
// after which each has the block whose number is its own with the bits reversed, and sends it
// there. Other counts than powers of two take recursive halving. Sums in scratch, received after
// them.
Task distance_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  if (!bine::power_of_two(n)) {
    Task instead = recursive_halving(rank, call);
    co_await instead;
    co_return;
  }
  const Bytes all = call.blocks(input, 0, n).bytes;
  if (all == 0) co_return;
  rank.copy({scratch, 0, all}, {input, 0, all});
  int first = 0;
  for (int distance = 1, half = n / 2; half > 0; distance *= 2, half /= 2) {
    const bool lower = (me & distance) == 0;
    const int mine = lower ? first : first + half, theirs = lower ? first + half : first;
    const Span kept = call.blocks(scratch, mine, mine + half);
    const Span received{scratch, all + kept.offset, kept.bytes};
    const Request arriving = rank.irecv(me ^ distance, received);
    co_await rank.send(me ^ distance, call.blocks(scratch, theirs, theirs + half));
    co_await rank.wait(arriving);
    rank.combine(kept, received);
    first = mine;
  }
  const Span mine{output, 0, call.block(input, me).bytes}, last = call.block(scratch, first);
  if (first == me)
    rank.copy(mine, last);
  else
    co_await rank.sendrecv(first, last, first, mine);
}

}  // namespace odonata::reduce_scatter
