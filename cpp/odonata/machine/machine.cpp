#include "odonata/machine/machine.hpp"

#include <algorithm>
#include <string>

#include "odonata/machine/families/basics.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// Throws UserError unless the routers of a block are in the same block of every level, too.
void check_block(const Machine& machine, std::int32_t first, std::int32_t end, int num_routers) {
  const int routers = machine.ports.routers;
  if (end > num_routers)
    throw UserError("nic.routers: routers of the machine are no multiple", routers,
                    "a divisor of " + std::to_string(num_routers));
  for (const Level& level : machine.levels)
    for (std::int32_t r = first; r < end; ++r)
      if (level.of_router[r] != level.of_router[first])
        throw UserError("nic.routers: ports of a node would be in several blocks (" + level.name +
                            ")",
                        routers, "routers of one " + level.name);
}

std::vector<std::int32_t> routers_of_ports(const Machine& machine,
                                           const std::vector<std::int32_t>& node_router,
                                           int num_routers) {
  const int per_node = machine.ports.per_node, routers = machine.ports.routers;
  check_range("nic.ports: ports of all nodes",
              static_cast<std::int64_t>(node_router.size()) * per_node, 1, most_nodes);
  if (routers == 0 || per_node % routers != 0)
    throw UserError("nic.routers: not a divisor of nic.ports", routers,
                    "a divisor of " + std::to_string(per_node));
  std::vector<std::int32_t> out;
  out.reserve(node_router.size() * static_cast<std::size_t>(per_node));
  for (const std::int32_t router : node_router) {
    const std::int32_t first = router - router % routers;
    if (routers > 1) check_block(machine, first, first + routers, num_routers);
    for (int i = 0; i < per_node; ++i) out.push_back(first + (router - first + i) % routers);
  }
  return out;
}

}  // namespace

void connect_ports(Machine& machine, const std::vector<NodePort>& ports, int num_routers,
                   std::vector<Wire> wires) {
  machine.port_router.clear();
  for (const NodePort& port : ports) machine.port_router.push_back(port.router);
  const std::int32_t count = machine.num_ports();
  std::stable_sort(wires.begin(), wires.end(),
                   [](const Wire& a, const Wire& b) { return a.from < b.from; });
  machine.links.clear();
  machine.links.reserve(2 * ports.size() + wires.size());
  std::int32_t node = 0;
  for (std::int32_t p = 0; p < count; ++p) {
    while (p >= machine.port(node + 1)) ++node;
    machine.links.push_back({node, ports[p].router, ports[p].injection_class});
  }
  for (std::int32_t p = 0; p < count; ++p)
    machine.links.push_back({ports[p].router, machine.links[p].from, ports[p].ejection_class});
  machine.first_link.assign(static_cast<std::size_t>(num_routers) + 1, 2 * count);
  for (const Wire& wire : wires) {
    machine.links.push_back({wire.from, wire.to, wire.link_class});
    ++machine.first_link[wire.from + 1];
  }
  for (std::size_t r = 1; r < machine.first_link.size(); ++r)
    machine.first_link[r] += machine.first_link[r - 1] - 2 * count;
  machine.node_router.clear();
  for (std::int32_t n = 0; machine.port(n) < count; ++n)
    machine.node_router.push_back(machine.port_router[machine.port(n)]);
}

void connect(Machine& machine, std::vector<std::int32_t> node_router, int num_routers,
             std::vector<Wire> wires, int injection_class, int ejection_class) {
  std::vector<NodePort> ports;
  for (const std::int32_t router : routers_of_ports(machine, node_router, num_routers))
    ports.push_back({router, injection_class, ejection_class});
  connect_ports(machine, ports, num_routers, std::move(wires));
  machine.node_router = std::move(node_router);
}

Ports::Binding binding_named(const std::string& name) {
  if (name == "blocks") return Ports::Binding::blocks;
  if (name == "round-robin") return Ports::Binding::round_robin;
  if (name == "first") return Ports::Binding::first;
  throw UserError("nic.binding: unknown", name, "blocks, round-robin, first");
}

Level level_of_blocks(const std::string& name, int num_routers, int size) {
  Level level{name, num_routers / size, {}};
  for (int r = 0; r < num_routers; ++r) level.of_router.push_back(r / size);
  return level;
}

}  // namespace odonata
