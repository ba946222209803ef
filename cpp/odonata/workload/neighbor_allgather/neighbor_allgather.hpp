// Neighbor_allgather: a rank's block to all its destinations.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::neighbor_allgather {

Task linear(Rank rank, Call call);

}  // namespace odonata::neighbor_allgather
