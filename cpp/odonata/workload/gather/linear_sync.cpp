#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::gather {

// Open MPI's: the root asks one rank after the other for its block by an empty message, and waits
// for the first part; the rest, which is empty without a size of segments, arrives while the next
// rank is asked. 3 (n-1) messages.
Task linear_sync(Rank rank, Call call) {
  const Bytes first = call.parameter > 0 ? std::min(call.parameter, call.bytes) : call.bytes;
  const auto head = [&](const Span& block) { return block.part(0, first); };
  const auto tail = [&](const Span& block) { return block.part(first, block.bytes - first); };
  const Span mine{input, 0, call.bytes}, nothing{scratch, 0, 0};
  if (rank.index() != call.root) {
    co_await rank.recv(call.root, nothing);
    co_await rank.send(call.root, head(mine));
    co_await rank.send(call.root, tail(mine));
    co_return;
  }
  std::vector<Request> rest;
  for (int r = 0; r < rank.size(); ++r) {
    if (r == call.root) continue;
    const Span place = call.block(output, r);
    const Request arriving = rank.irecv(r, head(place));
    co_await rank.send(r, nothing);
    rest.push_back(rank.irecv(r, tail(place)));
    co_await rank.wait(arriving);
  }
  rank.copy(call.block(output, call.root), mine);
  co_await rank.wait_all(rest);
}

}  // namespace odonata::gather
