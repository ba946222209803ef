#include "odonata/workload/algorithms.hpp"

namespace odonata::point_to_point {

// Rank i of the first half sends to rank i + n/2, which answers; a last odd rank does nothing.
Task pingpong(Rank rank, Call call) {
  const int half = rank.size() / 2, me = rank.index();
  const Span out{input, 0, call.bytes}, in{output, 0, call.bytes};
  if (me >= 2 * half) co_return;
  if (me < half) {
    co_await rank.send(me + half, out);
    co_await rank.recv(me + half, in);
  } else {
    co_await rank.recv(me - half, in);
    co_await rank.send(me - half, out);
  }
}

}  // namespace odonata::point_to_point
