#include <array>

#include "odonata/workload/algorithms.hpp"

namespace odonata::point_to_point {

// Everyone sends to both neighbours in a ring and receives from both, all at once.
Task exchange(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const int left = (me + n - 1) % n, right = (me + 1) % n;
  const Span out{input, 0, call.bytes};
  const std::array<Request, 4> requests{
      rank.irecv(left, {output, 0, call.bytes}, 0),
      rank.irecv(right, {output, call.bytes, call.bytes}, 1),
      rank.isend(right, out, 0),
      rank.isend(left, out, 1),
  };
  co_await rank.wait_all(requests);
}

}  // namespace odonata::point_to_point
