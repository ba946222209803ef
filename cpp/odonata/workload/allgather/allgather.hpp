// Allgather: everyone's block to everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::allgather {

Task ring(Rank rank, Call call);
Task bruck(Rank rank, Call call);
Task recursive_doubling(Rank rank, Call call);
Task neighbor_exchange(Rank rank, Call call);  // odd counts: ring
Task tar(Rank rank, Call call);

}  // namespace odonata::allgather
