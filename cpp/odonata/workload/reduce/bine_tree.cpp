#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::reduce {

// Up a Bine tree whose distances grow: a rank, counted from the root, combines the data of its
// partners until it hands the sum to one; n-1 messages, log2 n rounds. Other counts than powers of
// two take the binomial tree.
Task bine_tree(Rank rank, Call call) {
  const int n = rank.size(), me = bine::mod(rank.index() - call.root, n);
  if (!bine::power_of_two(n)) {
    Task instead = binomial(rank, call);
    co_await instead;
    co_return;
  }
  const auto peer = [&](int step) { return (bine::partner(me, step, n) + call.root) % n; };
  const Span sum{me == 0 ? output : scratch, 0, call.bytes};
  const Span received{scratch, call.bytes, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  const int last = bine::reached_falling(me, n);
  for (int step = 0; step < last; ++step) {
    co_await rank.recv(peer(step), received);
    rank.combine(sum, received);
  }
  if (me > 0) co_await rank.send(peer(last), sum);
}

}  // namespace odonata::reduce
