// Neighbor_alltoall: a block for each destination, one from each source.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::neighbor_alltoall {

Task linear(Rank rank, Call call);

}  // namespace odonata::neighbor_alltoall
