// Barrier: nobody leaves before all have come.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::barrier {

Task dissemination(Rank rank, Call call);

}  // namespace odonata::barrier
