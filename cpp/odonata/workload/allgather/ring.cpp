#include "odonata/workload/algorithms.hpp"

namespace odonata::allgather {

// In step k every rank passes on the block it received in step k-1: n-1 steps to the right.
Task ring(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index(), right = (me + 1) % n, left = (me + n - 1) % n;
  const auto block = [&](int i) { return Span{output, i * call.bytes, call.bytes}; };
  rank.copy(block(me), {input, 0, call.bytes});
  for (int step = 0, mine = me; step < n - 1; ++step) {
    const int next = (mine + n - 1) % n;
    co_await rank.sendrecv(right, block(mine), left, block(next));
    mine = next;
  }
}

}  // namespace odonata::allgather
