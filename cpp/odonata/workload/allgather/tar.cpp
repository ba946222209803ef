#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/layout.hpp"

namespace odonata::allgather {

// The topology-aware ring: a ring through all ranks by (group, router, node), so that all but a
// few steps stay inside a router or group. Blocks still land at their rank's place.
Task tar(Rank rank, Call call) {
  const std::shared_ptr<const Layout> places = layout(rank);
  const int n = rank.size(), me = rank.index();
  const auto rank_at = [&](int i) { return places->order[i]; };
  const auto block = [&](int i) { return Span{output, i * call.bytes, call.bytes}; };
  const int here = places->position[me];
  const int right = rank_at((here + 1) % n), left = rank_at((here + n - 1) % n);
  rank.copy(block(me), {input, 0, call.bytes});
  for (int step = 0, mine = here; step < n - 1; ++step) {
    const int next = (mine + n - 1) % n;
    co_await rank.sendrecv(right, block(rank_at(mine)), left, block(rank_at(next)));
    mine = next;
  }
}

}  // namespace odonata::allgather
