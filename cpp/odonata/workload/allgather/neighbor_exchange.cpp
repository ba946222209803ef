#include <array>

#include "odonata/workload/algorithms.hpp"

namespace odonata::allgather {

// Chen, Zhang, Yuan et al. 2005: pairs of ranks first exchange their own blocks, then every rank
// passes on the pair of blocks it got last, to its other neighbour in turn: n/2 steps. Published
// for even counts; odd ones take the ring.
Task neighbor_exchange(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  if (n % 2 != 0) {
    Task instead = ring(rank, call);
    co_await instead;
    co_return;
  }
  const auto blocks = [&](int first, int count) {
    return Span{output, first * call.bytes, count * call.bytes};
  };
  const int to_twin = me % 2 == 0 ? 1 : n - 1;  // even ranks have their twin on the right
  const std::array<int, 2> neighbor{(me + to_twin) % n, (me + n - to_twin) % n};
  rank.copy(blocks(me, 1), {input, 0, call.bytes});
  co_await rank.sendrecv(neighbor[0], blocks(me, 1), neighbor[0], blocks(neighbor[0], 1));
  const int own = me - me % 2;
  std::array<int, 2> next{own, own};  // first block of the pair that each neighbour sent last
  for (int step = 1, mine = own; step < n / 2; ++step) {
    const auto side = static_cast<std::size_t>(step % 2);
    const int away = (side == 0) == (me % 2 == 0) ? 2 : n - 2;
    next[side] = (next[side] + away) % n;
    co_await rank.sendrecv(neighbor[side], blocks(mine, 2), neighbor[side], blocks(next[side], 2));
    mine = next[side];
  }
}

}  // namespace odonata::allgather
