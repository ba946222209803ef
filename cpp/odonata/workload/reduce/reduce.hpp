// Reduce: everyone's data, combined, to the root.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::reduce {

Task binomial(Rank rank, Call call);
Task reduce_scatter_gather(Rank rank, Call call);

}  // namespace odonata::reduce
