#include "odonata/workload/algorithms.hpp"

namespace odonata::point_to_point {

// Everyone sends to the right and receives from the left, in a ring.
Task sendrecv(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  co_await rank.sendrecv((me + 1) % n, {input, 0, call.bytes}, (me + n - 1) % n,
                         {output, 0, call.bytes});
}

}  // namespace odonata::point_to_point
