// Exscan: the data of all ranks before, combined.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::exscan {

Task recursive_doubling(Rank rank, Call call);

}  // namespace odonata::exscan
