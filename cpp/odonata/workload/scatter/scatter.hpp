// Scatter: the root's blocks to their ranks.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::scatter {

Task linear(Rank rank, Call call);
Task binomial(Rank rank, Call call);
Task glf(Rank rank, Call call);
Task llf(Rank rank, Call call);

}  // namespace odonata::scatter
