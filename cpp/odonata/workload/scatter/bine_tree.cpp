#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::scatter {

namespace {

// Blocks of a rank's subtree, which pass the end of the ring in a second message.
Task receive(Rank rank, int from, Call call, bine::Stretch blocks) {
  const bool leaf = blocks.count == 1;
  const Span own{output, 0, call.bytes};
  co_await rank.recv(from, leaf ? own : blocks.to_end(call, scratch, blocks.first));
  if (blocks.first + blocks.count > blocks.ranks)
    co_await rank.recv(from, blocks.from_start(call, scratch, blocks.first));
}

}  // namespace

// Down a Bine tree whose distances fall, counted from the root: the way of gather/bine_tree back.
// Other counts than powers of two take the binomial tree.
Task bine_tree(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = binomial(rank, call);
    co_await instead;
    co_return;
  }
  const int reached = bine::reached_falling(me, n);
  const bool leaf = me > 0 && reached == 0;
  const Buffer buffer = me == 0 ? input : scratch;
  const auto peer = [&](int step) { return (bine::partner(me, step, n) + call.root) % n; };
  std::vector<bine::Stretch> has{{n, me, rank.index()}};  // before each step of the gather
  for (int step = 0; step < reached; ++step) {
    has.push_back(has.back());
    has.back().extend();
  }
  if (me > 0) {
    Task received = receive(rank, peer(reached), call, has.back());
    co_await received;
  }
  for (int step = reached - 1; step >= 0; --step) {
    const bine::Stretch& kept = has[step];
    const int next = kept.next();
    co_await rank.send(peer(step), kept.to_end(call, buffer, next));
    if (next + kept.count > n) co_await rank.send(peer(step), kept.from_start(call, buffer, next));
  }
  if (!leaf) rank.copy({output, 0, call.bytes}, call.block(buffer, rank.index()));
}

}  // namespace odonata::scatter
