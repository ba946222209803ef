// Scatterv: a block of any size from the root to everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::scatterv {

Task linear(Rank rank, Call call);

}  // namespace odonata::scatterv
