#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allgather {

// In step k every rank sends all it has to the rank 2^k below it: ceil(log2 n) steps. Blocks
// gather in scratch from the own one upwards and are rotated into place at the end.
Task bruck(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const auto blocks = [&](int first, int count) {
    return Span{scratch, first * call.bytes, count * call.bytes};
  };
  rank.copy(blocks(0, 1), {input, 0, call.bytes});
  for (int have = 1; have < n; have *= 2) {
    const int count = std::min(have, n - have);
    co_await rank.sendrecv((me + n - have) % n, blocks(0, count), (me + have) % n,
                           blocks(have, count));
  }
  rank.copy({output, me * call.bytes, (n - me) * call.bytes}, blocks(0, n - me));
  rank.copy({output, 0, me * call.bytes}, blocks(n - me, me));
}

}  // namespace odonata::allgather
