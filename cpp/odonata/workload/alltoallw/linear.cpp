#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoallw {

// Open MPI's algorithm: all receives and all sends at once, nothing for empty blocks; n-1 messages
// a rank at most.
Task linear(Rank rank, Call call) {
  const int me = rank.index();
  rank.copy(call.from(output, me), call.block(input, me));
  std::vector<Request> requests;
  for (int source = 0; source < rank.size(); ++source) {
    const Span place = call.from(output, source);
    if (source != me && place.bytes > 0) requests.push_back(rank.irecv(source, place));
  }
  for (int to = 0; to < rank.size(); ++to) {
    const Span block = call.block(input, to);
    if (to != me && block.bytes > 0) requests.push_back(rank.isend(to, block));
  }
  co_await rank.wait_all(requests);
}

}  // namespace odonata::alltoallw
