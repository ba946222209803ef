// Messages between a rank and its neighbours.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata {

/// Sends `block_of(i)` to destination i and receives from every source, all at once, as MPICH has
/// it; a message for every edge, empty ones too. Several edges between two ranks are matched in
/// their order.
template <class BlockOf>
Task exchange_with_neighbors(Rank rank, Call call, BlockOf block_of) {
  const int n = rank.size(), me = rank.index();
  const std::vector<int> ring{(me + n - 1) % n, (me + 1) % n};
  std::vector<Request> requests;
  int i = 0;
  for (const int to : call.counts ? call.counts->destinations : ring)
    requests.push_back(rank.isend(to, block_of(i++)));
  i = 0;
  for (const int source : call.counts ? call.counts->sources : ring)
    requests.push_back(rank.irecv(source, call.from(output, i++)));
  co_await rank.wait_all(requests);
}

}  // namespace odonata
