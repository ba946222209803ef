// Allreduce: everyone's data, combined, to everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::allreduce {

Task recursive_doubling(Rank rank, Call call);
Task reduce_scatter_allgather(Rank rank, Call call);
Task ring(Rank rank, Call call);

}  // namespace odonata::allreduce
