#include <algorithm>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allgather/spread.hpp"

namespace odonata::reduce_scatter {

namespace {

// Blocks outside the ranks first <= r < last: two parts of a buffer of all blocks, which a
// derived datatype packs where neither is empty.
struct Outside {
  Span before, after;

  Outside(const Call& call, Buffer buffer, Bytes at, int first, int last, int ranks)
      : before(call.blocks(buffer, 0, first)),
        after(call.blocks(buffer, std::min(last, ranks), ranks)) {
    before.offset += at;
    after.offset += at;
  }
  [[nodiscard]] Bytes bytes() const { return before.bytes + after.bytes; }
  [[nodiscard]] bool in_two() const { return before.bytes > 0 && after.bytes > 0; }
  /// Where it lies if it is one part, else packed at this place of scratch.
  [[nodiscard]] Span place(Bytes at) const {
    if (in_two()) return {scratch, at, bytes()};
    return before.bytes > 0 ? before : after;
  }
  void pack(const Rank& rank, Bytes at) const {
    if (!in_two()) return;
    rank.copy({scratch, at, before.bytes}, before);
    rank.copy({scratch, at + before.bytes, after.bytes}, after);
  }
  void unpack(const Rank& rank, Bytes at) const {
    if (!in_two()) return;
    rank.copy(before, {scratch, at, before.bytes});
    rank.copy(after, {scratch, at + before.bytes, after.bytes});
  }
};

}  // namespace

// In step k, ranks that differ in bit k exchange their sums of the blocks outside their own
// subtree of 2^k ranks, as in MPICH for operators that do not commute and short messages; other
// counts than powers of two as in its allgather. About log2 n - 1 times all blocks a rank.
//
//     scratch    [0, a) sums of all blocks    [a, 2 a) received    [2 a, 3 a), [3 a, 4 a) packed
Task recursive_doubling(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Bytes all = call.blocks(input, 0, n).bytes;
  if (all == 0) co_return;
  rank.copy({scratch, 0, all}, {input, 0, all});
  for (int half = 1; half < n; half *= 2) {
    const int partner = me ^ half, mine = me - me % half, theirs = partner - partner % half;
    if (theirs >= n) continue;
    const Outside sent(call, scratch, 0, mine, mine + half, n);
    const Outside got(call, scratch, all, theirs, theirs + half, n);
    if (partner < n) {
      sent.pack(rank, 2 * all);
      co_await rank.sendrecv(partner, sent.place(2 * all), partner, got.place(3 * all));
    }
    if (theirs + half > n) {
      Task rest = allgather::spread(rank, half, n - theirs, got.place(3 * all));
      co_await rest;
    }
    got.unpack(rank, 3 * all);
    rank.combine({scratch, got.before.offset - all, got.before.bytes}, got.before);
    rank.combine({scratch, got.after.offset - all, got.after.bytes}, got.after);
  }
  const Span mine = call.block(scratch, me);
  rank.copy({output, 0, mine.bytes}, mine);
}

}  // namespace odonata::reduce_scatter
