// Scan: everyone's data combined with those of all ranks before.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::scan {

Task recursive_doubling(Rank rank, Call call);

}  // namespace odonata::scan
