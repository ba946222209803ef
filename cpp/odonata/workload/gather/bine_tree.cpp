#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::gather {

// Up a Bine tree whose distances grow, counted from the root: blocks that a rank has lie together
// on a ring; where they go past its end, those from its start on are a message of their own. Other
// counts than powers of two take the binomial tree.
Task bine_tree(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = binomial(rank, call);
    co_await instead;
    co_return;
  }
  const Buffer buffer = me == 0 ? output : scratch;
  const auto peer = [&](int step) { return (bine::partner(me, step, n) + call.root) % n; };
  rank.copy(call.block(buffer, rank.index()), {input, 0, call.bytes});
  bine::Stretch has{n, me, rank.index()};
  for (const int last = bine::reached_falling(me, n); has.step < last; has.extend()) {
    const int next = has.next();
    co_await rank.recv(peer(has.step), has.to_end(call, buffer, next));
    if (next + has.count > n)
      co_await rank.recv(peer(has.step), has.from_start(call, buffer, next));
  }
  if (me == 0) co_return;
  co_await rank.send(peer(has.step), has.to_end(call, buffer, has.first));
  if (has.first + has.count > n)
    co_await rank.send(peer(has.step), has.from_start(call, buffer, has.first));
}

}  // namespace odonata::gather
