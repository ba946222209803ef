// Recursive doubling among other counts of ranks than powers of two.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::allgather {

/// The first `have` of the `half` ranks from `low` on hold these blocks: they pass them on to the
/// others, each of which is asked for by one sender, in log2(half) rounds of halving.
Task spread(Rank rank, int half, int have, Span blocks);

}  // namespace odonata::allgather
