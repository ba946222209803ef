#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/neighbors.hpp"

namespace odonata::neighbor_alltoall {

Task linear(Rank rank, Call call) {
  return exchange_with_neighbors(std::move(rank), call,
                                 [call](int i) { return call.block(input, i); });
}

}  // namespace odonata::neighbor_alltoall
