#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::bcast {

// The same tree as `bine_tree`, with one send of a rank after the other.
Task bine_tree_blocking(Rank rank, Call call) {
  if (!bine::power_of_two(rank.size())) {
    Task instead = binomial(rank, call);
    co_await instead;
    co_return;
  }
  const trees::Place place = trees::place_in(bine::falling, rank, call.root);
  const bool root = place.parent < 0;
  const Span data{root ? input : output, 0, call.bytes};
  if (!root) co_await rank.recv(place.parent, data);
  for (const int child : place.children) co_await rank.send(child, data);
  if (root) rank.copy({output, 0, call.bytes}, data);
}

}  // namespace odonata::bcast
