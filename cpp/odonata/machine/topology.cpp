#include "odonata/machine/topology.hpp"

namespace odonata {

std::vector<Level> Topology::partitions(const Machine& machine) const {
  if (machine.num_groups() > 1) return {machine.levels.back()};
  return {level_of_blocks("router", machine.num_routers(), 1)};
}

}  // namespace odonata
