#include "odonata/machine/machine.hpp"

#include <algorithm>

namespace odonata {

void connect(Machine& machine, std::vector<std::int32_t> node_router, int num_routers,
             std::vector<Wire> wires, int injection_class, int ejection_class) {
  const auto nodes = static_cast<std::int32_t>(node_router.size());
  std::stable_sort(wires.begin(), wires.end(),
                   [](const Wire& a, const Wire& b) { return a.from < b.from; });
  machine.links.clear();
  machine.links.reserve(2 * node_router.size() + wires.size());
  for (std::int32_t n = 0; n < nodes; ++n)
    machine.links.push_back({n, node_router[n], injection_class});
  for (std::int32_t n = 0; n < nodes; ++n)
    machine.links.push_back({node_router[n], n, ejection_class});
  machine.first_link.assign(static_cast<std::size_t>(num_routers) + 1, 2 * nodes);
  for (const Wire& wire : wires) {
    machine.links.push_back({wire.from, wire.to, wire.link_class});
    ++machine.first_link[wire.from + 1];
  }
  for (std::size_t r = 1; r < machine.first_link.size(); ++r)
    machine.first_link[r] += machine.first_link[r - 1] - 2 * nodes;
  machine.node_router = std::move(node_router);
}

Level level_of_blocks(const std::string& name, int num_routers, int size) {
  Level level{name, num_routers / size, {}};
  for (int r = 0; r < num_routers; ++r) level.of_router.push_back(r / size);
  return level;
}

}  // namespace odonata
