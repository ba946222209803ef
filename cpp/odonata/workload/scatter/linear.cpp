#include "odonata/workload/algorithms.hpp"

namespace odonata::scatter {

// The study's LIN: the root starts a send to every other rank, in random order, and waits for all.
Task linear(Rank rank, Call call) {
  const Span mine{output, 0, call.bytes};
  if (rank.index() != call.root) {
    co_await rank.recv(call.root, mine);
    co_return;
  }
  std::vector<std::int32_t> others;
  for (int r = 0; r < rank.size(); ++r)
    if (r != call.root) others.push_back(r);
  shuffle(others, rank.draws(Purpose::send_order));
  std::vector<Request> sends;
  for (const int r : others) sends.push_back(rank.isend(r, {input, r * call.bytes, call.bytes}));
  rank.copy(mine, {input, call.root * call.bytes, call.bytes});
  co_await rank.wait_all(sends);
}

}  // namespace odonata::scatter
