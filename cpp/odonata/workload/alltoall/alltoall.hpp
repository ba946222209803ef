// Alltoall: a block from everyone for everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::alltoall {

Task bruck(Rank rank, Call call);
Task scattered(Rank rank, Call call);
Task pairwise(Rank rank, Call call);

}  // namespace odonata::alltoall
