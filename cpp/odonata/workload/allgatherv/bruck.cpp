#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allgatherv {

// MPICH's algorithm: in step k every rank sends all its blocks to the rank 2^k below, in
// ceil(log2 n) steps.
// Blocks gather in scratch from the own one upwards and are rotated into place at the end.
Task bruck(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Bytes all = call.blocks(output, 0, n).bytes;
  // The blocks of the ranks first <= i < last above rank `of`, where it keeps them.
  const auto stretch = [&](int of, int first, int last) {
    const auto start = [&](int i) {
      const int end = of + i;
      const Bytes below = call.blocks(output, 0, end > n ? end - n : end).bytes;
      return below + (end > n ? all : 0) - call.blocks(output, 0, of).bytes;
    };
    return Span{scratch, start(first), start(last) - start(first)};
  };
  const Span mine = stretch(me, 0, 1);
  rank.copy(mine, {input, 0, mine.bytes});
  for (int have = 1; have < n; have *= 2) {
    const int count = std::min(have, n - have);
    co_await rank.sendrecv((me + n - have) % n, stretch(me, 0, count), (me + have) % n,
                           stretch(me, have, have + count));
  }
  rank.copy(call.blocks(output, me, n), stretch(me, 0, n - me));
  rank.copy(call.blocks(output, 0, me), stretch(me, n - me, n));
}

}  // namespace odonata::allgatherv
