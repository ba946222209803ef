#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::bcast {

// Down a Bine tree whose distances fall, counted from the root; all sends of a rank are under way
// at once. n-1 messages in log2 n rounds; other counts than powers of two take the binomial tree.
Task bine_tree(Rank rank, Call call) {
  if (!bine::power_of_two(rank.size())) return binomial(rank, call);
  return trees::broadcast(rank, call, bine::falling);
}

}  // namespace odonata::bcast
