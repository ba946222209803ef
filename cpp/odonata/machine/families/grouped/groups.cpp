#include "odonata/machine/families/grouped/groups.hpp"

#include <utility>

#include "odonata/machine/families/grouped/routing.hpp"

namespace odonata {

std::vector<std::int32_t> GroupTopology::position(std::int32_t router) const {
  const std::int32_t columns = groups_.columns, per_group = groups_.routers_per_group();
  return {router / per_group, router % per_group / columns, router % columns};
}

std::unique_ptr<Routing> GroupTopology::routing(const Machine& machine,
                                                const RoutingOptions& options) const {
  return std::make_unique<GroupRouting>(machine, groups_, options);
}

void set_groups(Machine& machine, std::shared_ptr<const GroupTopology> topology) {
  const Groups& groups = topology->groups();
  const int routers = groups.groups * groups.routers_per_group();
  if (groups.rows > 1)
    machine.levels.push_back(level_of_blocks("chassis", routers, groups.columns));
  machine.levels.push_back(level_of_blocks("group", routers, groups.routers_per_group()));
  machine.topology = std::move(topology);
}

}  // namespace odonata
