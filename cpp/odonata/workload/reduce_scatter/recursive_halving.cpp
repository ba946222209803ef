#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allreduce/fold.hpp"

namespace odonata::reduce_scatter {

namespace {

// Exchanges spans that are not empty.
Task exchange(Rank rank, int partner, Span sent, Span received) {
  if (sent.bytes > 0 && received.bytes > 0)
    co_await rank.sendrecv(partner, sent, partner, received);
  else if (sent.bytes > 0)
    co_await rank.send(partner, sent);
  else if (received.bytes > 0)
    co_await rank.recv(partner, received);
}

// A rank that rested gets its block from its neighbour, who has both.
Task hand_over(Rank rank, allreduce::Fold how, Call call) {
  const int me = rank.index();
  const Span block = call.block(scratch, me - me % 2);
  if (me >= 2 * how.rest || block.bytes == 0) co_return;
  if (me % 2 == 0)
    co_await rank.recv(me + 1, {output, 0, block.bytes});
  else
    co_await rank.send(me - 1, block);
}

}  // namespace

// MPICH's algorithm for short messages: ranks whose numbers differ in the highest bit exchange the
// half of their sums that the other side wants, then in the next bit: log2 n steps of half as many
// blocks each, nothing where they are empty. Sums in scratch, received after them.
Task recursive_halving(Rank rank, Call call) {
  const allreduce::Fold how(rank);
  const int n = rank.size(), me = rank.index();
  const Bytes all = call.blocks(input, 0, n).bytes;
  if (all == 0) co_return;
  // Blocks of the numbers first <= i < last: blocks of resting ranks count with their neighbours'.
  const auto rank_from = [&](int number) {
    return number < how.rest ? 2 * number : number + how.rest;
  };
  const auto sums = [&](int first, int last) {
    return call.blocks(scratch, rank_from(first), rank_from(last));
  };
  rank.copy({scratch, 0, all}, {input, 0, all});
  Task before = allreduce::fold(rank, how, {scratch, 0, all}, {scratch, all, all});
  co_await before;
  for (int half = how.active / 2, first = 0; how.number >= 0 && half > 0; half /= 2) {
    const bool lower = (how.number & half) == 0;
    const int mine = lower ? first : first + half, theirs = lower ? first + half : first;
    const Span kept = sums(mine, mine + half), received{scratch, all + kept.offset, kept.bytes};
    Task step =
        exchange(rank, how.rank_of(how.number ^ half), sums(theirs, theirs + half), received);
    co_await step;
    if (kept.bytes > 0) rank.combine(kept, received);
    first = mine;
  }
  const Span mine = call.block(scratch, me);
  if (how.number >= 0) rank.copy({output, 0, mine.bytes}, mine);
  Task after = hand_over(rank, how, call);
  co_await after;
}

}  // namespace odonata::reduce_scatter
