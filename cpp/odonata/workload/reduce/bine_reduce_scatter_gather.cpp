#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::reduce {

// Bine butterfly from the smallest distance up, after which each rank has the sums of the chunk of
// its number, then the same way back up a tree to the root: 2 log2 n steps, about 2 b bytes. Other
// counts than powers of two take recursive halving.
Task bine_reduce_scatter_gather(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = reduce_scatter_gather(rank, call);
    co_await instead;
    co_return;
  }
  const EvenChunks chunks{n, call.bytes};
  bine::Pieces pieces{me == 0 ? output : scratch, {}};
  for (int i = 0; i < n; ++i) pieces.blocks.push_back(chunks.start(i + 1) - chunks.start(i));
  rank.copy({pieces.buffer, 0, call.bytes}, {input, 0, call.bytes});
  Task reduced = bine::reduce_by_numbers(rank, pieces, call.bytes, call.root);
  co_await reduced;

  const auto window = [&](int of, int count) {
    const int first = bine::window(bine::number(of, n), count);
    return pieces.of(first, first + count);
  };
  const int last = bine::reached_growing(me, n);
  for (int step = bine::steps(n) - 1, count = 1; step >= std::max(last, 0); --step, count *= 2) {
    const int other = bine::partner(me, step, n), peer = (other + call.root) % n;
    if (step == last)
      co_await rank.send(peer, window(me, count));
    else
      co_await rank.recv(peer, window(other, count));
  }
}

}  // namespace odonata::reduce
