#include "odonata/workload/allreduce/fold.hpp"

namespace odonata::allreduce {

Task fold(Rank rank, Fold how, Span data, Span received) {
  const int me = rank.index();
  if (me >= 2 * how.rest) co_return;
  if (me % 2 == 0) {
    co_await rank.send(me + 1, data);
    co_return;
  }
  co_await rank.recv(me - 1, received);
  rank.combine(data, received);
}

Task unfold(Rank rank, Fold how, Span data) {
  const int me = rank.index();
  if (me >= 2 * how.rest) co_return;
  if (me % 2 == 0)
    co_await rank.recv(me + 1, data);
  else
    co_await rank.send(me - 1, data);
}

}  // namespace odonata::allreduce
