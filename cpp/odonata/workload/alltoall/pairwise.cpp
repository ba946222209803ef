#include <bit>

#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoall {

// One peer at a time: the rank that differs by XOR i where n is a power of two, else to the rank i
// above and from the rank i below. n-1 messages a rank.
Task pairwise(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const bool power = std::has_single_bit(static_cast<unsigned>(n));
  const auto block = [&](Buffer buffer, int i) { return Span{buffer, i * call.bytes, call.bytes}; };
  rank.copy(block(output, me), block(input, me));
  for (int i = 1; i < n; ++i) {
    const int to = power ? me ^ i : (me + i) % n, source = power ? to : (me + n - i) % n;
    co_await rank.sendrecv(to, block(input, to), source, block(output, source));
  }
}

}  // namespace odonata::alltoall
