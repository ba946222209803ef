// Rank programs made of registered algorithms.
#pragma once

#include "odonata/workload/algorithms.hpp"

namespace odonata {

/// Every rank runs the algorithm `repetitions` times, one right after the other; each run is a
/// phase named "operation/name".
[[nodiscard]] Program repeat(const Algorithm& algorithm, const Call& call, int repetitions);

}  // namespace odonata
