// Reduce_scatter and reduce_scatter_block: everyone's blocks, combined, block i to rank i.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::reduce_scatter {

Task recursive_halving(Rank rank, Call call);
Task pairwise(Rank rank, Call call);

}  // namespace odonata::reduce_scatter
