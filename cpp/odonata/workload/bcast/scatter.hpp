// The binomial scatter that broadcasts of long messages begin with.
#pragma once

#include "odonata/workload/chunks.hpp"
#include "odonata/workload/collective.hpp"

namespace odonata::bcast {

/// Chunks of half the remaining ranks, counted from the root, go to the rank in their middle; none
/// when empty.
Task scatter(Rank rank, int root, FullChunks chunks);

}  // namespace odonata::bcast
