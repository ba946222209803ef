#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::bcast {

// Down a Bine tree whose distances grow, counted from the root; all sends of a rank are under way
// at once. n-1 messages in log2 n rounds; other counts than powers of two take the binomial tree.
Task bine_tree_growing(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = binomial(rank, call);
    co_await instead;
    co_return;
  }
  const auto peer = [&](int step) { return (bine::partner(me, step, n) + call.root) % n; };
  const Span data{me == 0 ? input : output, 0, call.bytes};
  const int reached = bine::reached_growing(me, n);
  if (me > 0) co_await rank.recv(peer(reached), data);
  std::vector<Request> sends;
  for (int step = reached + 1; step < bine::steps(n); ++step)
    sends.push_back(rank.isend(peer(step), data));
  co_await rank.wait_all(sends);
  if (me == 0) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
