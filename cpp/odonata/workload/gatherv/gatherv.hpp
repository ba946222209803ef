// Gatherv: everyone's block, of any size, to the root.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::gatherv {

Task linear(Rank rank, Call call);

}  // namespace odonata::gatherv
