// Alltoallv: a block of any size from everyone for everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::alltoallv {

Task scattered(Rank rank, Call call);
Task pairwise(Rank rank, Call call);

}  // namespace odonata::alltoallv
