// Distances between the ranks of a job.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/machine.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// How many pairs of ranks are how many router-to-router links apart on a shortest route; ranks
/// of one router are 0 apart. `nodes` has the node of each rank. [diameter + 1]
[[nodiscard]] std::vector<std::int64_t> count_distances(const Machine& machine,
                                                        const Routing& routing,
                                                        const std::vector<std::int32_t>& nodes);

}  // namespace odonata
