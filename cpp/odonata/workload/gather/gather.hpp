// Gather: everyone's block to the root.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::gather {

Task linear(Rank rank, Call call);
Task binomial(Rank rank, Call call);

}  // namespace odonata::gather
