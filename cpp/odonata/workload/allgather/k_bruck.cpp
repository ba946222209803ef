#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allgather {

// Bruck's algorithm of radix k, as in Open MPI 5: in a step of distance d, a rank sends its d first
// blocks to the ranks d, 2 d, ..., (k-1) d below and gets theirs, all at once; ceil(log_k n) steps.
// Blocks are collected from the own one upwards, and rotated in the end.
Task k_bruck(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index(), radix = static_cast<int>(call.parameter);
  rank.copy(call.block(output, 0), {input, 0, call.bytes});
  std::vector<Request> requests;
  for (std::int64_t distance = 1; distance < n; distance *= radix) {
    const int d = static_cast<int>(distance);
    requests.clear();
    for (int j = 1; j < radix && j * distance < n; ++j) {
      const int away = j * d, count = std::min(d, n - away);
      requests.push_back(rank.irecv((me + away) % n, call.blocks(output, away, away + count)));
      requests.push_back(rank.isend((me + n - away) % n, call.blocks(output, 0, count)));
    }
    co_await rank.wait_all(requests);
  }
  if (me == 0) co_return;
  const Span upper = call.blocks(scratch, 0, n - me);
  rank.copy(upper, call.blocks(output, 0, n - me));
  rank.copy(call.blocks(output, 0, me), call.blocks(output, n - me, n));
  rank.copy(call.blocks(output, me, n), upper);
}

}  // namespace odonata::allgather
