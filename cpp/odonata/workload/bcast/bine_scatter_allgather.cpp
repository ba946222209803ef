#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::bcast {

// A scatter of n chunks down a Bine tree whose distances grow, then the butterfly back, in which
// chunks go only where they are not known: 2 log2 n steps. Other counts than powers of two take the
// binomial scatter and the ring.
Task bine_scatter_allgather(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = scatter_allgather(rank, call);
    co_await instead;
    co_return;
  }
  const EvenChunks chunks{n, call.bytes};
  const auto window = [&](int of, int count) {
    const int first = bine::window(bine::number(of, n), count);
    return chunks.of(me == 0 ? input : output, first, first + count);
  };
  const int steps = bine::steps(n), reached = bine::reached_growing(me, n);
  for (int step = std::max(reached, 0), count = n / 2 >> step; step < steps; ++step, count /= 2) {
    const int other = bine::partner(me, step, n), peer = (other + call.root) % n;
    if (step == reached)
      co_await rank.recv(peer, window(me, count));
    else
      co_await rank.send(peer, window(other, count));
  }
  for (int step = steps - 1, count = 1; step >= 0; --step, count *= 2) {
    const int other = bine::partner(me, step, n), peer = (other + call.root) % n;
    if (step > reached)
      co_await rank.send(peer, window(me, count));
    else if (step == reached)
      co_await rank.recv(peer, window(other, count));
    else
      co_await rank.sendrecv(peer, window(me, count), peer, window(other, count));
  }
  if (me == 0) rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});
}

}  // namespace odonata::bcast
