#include <bit>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allgather {

// Loch and Koslovski 2021: distances fall from the largest power of two below n to 1, and a rank
// gets each block in a message of its own, at its place: all blocks that its source has and it has
// not, which lie two distances apart. n-1 messages a rank in ceil(log2 n) steps.
Task sparbit(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const auto block = [&](int i) { return call.block(output, (i % n + n) % n); };
  const auto known = [&](int distance) { return (n + distance - 1) / distance; };  // blocks
  rank.copy(block(me), {input, 0, call.bytes});
  std::vector<Request> requests;
  for (int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))) / 2; distance > 0;
       distance /= 2) {
    const int to = (me + distance) % n, source = (me + n - distance) % n;
    requests.clear();
    for (int i = 0; i < known(distance) - known(2 * distance); ++i) {
      requests.push_back(rank.isend(to, block(me - 2 * i * distance)));
      requests.push_back(rank.irecv(source, block(me - (2 * i + 1) * distance)));
    }
    co_await rank.wait_all(requests);
  }
}

}  // namespace odonata::allgather
