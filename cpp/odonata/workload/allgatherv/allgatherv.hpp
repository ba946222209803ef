// Allgatherv: everyone's block, of any size, to everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::allgatherv {

Task ring(Rank rank, Call call);
Task recursive_doubling(Rank rank, Call call);
Task bruck(Rank rank, Call call);

}  // namespace odonata::allgatherv
