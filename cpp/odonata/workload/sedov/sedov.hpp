// A blast wave on a grid of cells: the communication of an explicit scheme of finite volumes.
#pragma once

#include <string>
#include <vector>

#include "odonata/workload/halo/halo.hpp"

namespace odonata {

struct SedovOptions {
  HaloOptions ghosts;     // one ghost exchange; its repetitions are the time steps
  int exchanges = 2;      // ghost exchanges of a step
  Time compute = 0;       // [ps] a rank's work in a step
  std::string allreduce;  // algorithm of the reduction of the time step
};

/// The rank program. A step is an allreduce of one number of 8 B, the length of the step, and as
/// many substeps as there are ghost exchanges: an equal share of the work, then the exchange. Each
/// step is a phase. Throws UserError if the grid doesn't fit the ranks or the algorithm is unknown.
[[nodiscard]] Program sedov(const SedovOptions& options, const Machine& machine,
                            const std::vector<std::int32_t>& nodes);

}  // namespace odonata
