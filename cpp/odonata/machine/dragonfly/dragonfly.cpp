#include "odonata/machine/dragonfly/dragonfly.hpp"

#include <utility>

#include "odonata/machine/grouped/groups.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

enum Class : std::int32_t { injection, ejection, local, global };

// Links of a group pair; throws UserError if the global ports don't suffice.
int copies(const Dragonfly& d) {
  if (d.groups == 1) {
    check_range("shape.links_per_group_pair", d.links_per_group_pair, 0, 0);
    return 0;
  }
  const int ports = d.routers_per_group * d.global_links_per_router;
  const int most = ports / (d.groups - 1);
  if (most == 0)
    throw UserError("shape.groups: " + std::to_string(d.groups) + " groups need " +
                    std::to_string(d.groups - 1) + " global ports a group; " +
                    std::to_string(d.routers_per_group) + " routers with " +
                    std::to_string(d.global_links_per_router) + " global links each have " +
                    std::to_string(ports) + "; allowed are 1 to " + std::to_string(ports + 1) +
                    " groups");
  if (d.links_per_group_pair == 0) return most;
  check_range("shape.links_per_group_pair", d.links_per_group_pair, 1, most);
  return d.links_per_group_pair;
}

void check(const Dragonfly& d) {
  check_basics(d.basics);
  check_range("shape.nodes_per_router", d.nodes_per_router, 1, 4'096);
  check_range("shape.routers_per_group", d.routers_per_group, 1, 4'096);
  check_range("shape.global_links_per_router", d.global_links_per_router, 0, 4'096);
  check_range("shape.groups", d.groups, 1, most_groups);
  const std::int64_t routers = std::int64_t{d.groups} * d.routers_per_group;
  const std::int64_t ports =
      d.nodes_per_router * 2 + d.routers_per_group - 1 + d.global_links_per_router;
  check_range("shape: number of routers", routers, 1, most_routers);
  check_range("shape: number of nodes", routers * d.nodes_per_router, 1, most_nodes);
  check_range("shape: number of links", routers * ports, 1, most_links);
  check_link_class("injection", d.injection);
  check_link_class("ejection", d.ejection);
  check_link_class("local", d.local);
  check_link_class("global", d.global);
}

}  // namespace

Arrangement arrangement_named(const std::string& name) {
  if (name == "absolute") return Arrangement::absolute;
  if (name == "relative") return Arrangement::relative;
  if (name == "circulant") return Arrangement::circulant;
  throw UserError("shape.arrangement: '" + name +
                  "' is unknown; one of absolute, relative, circulant");
}

int group_behind(Arrangement arrangement, int i, int k, int g) {
  if (arrangement == Arrangement::absolute) return k < i ? k : k + 1;
  if (arrangement == Arrangement::relative) return (i + k + 1) % g;
  const int distance = k / 2 + 1;
  return k % 2 == 0 ? (i + distance) % g : (i + g - distance) % g;
}

int port_behind(Arrangement arrangement, int i, int k, int g) {
  if (arrangement == Arrangement::absolute)
    return i < group_behind(arrangement, i, k, g) ? i : i - 1;
  if (arrangement == Arrangement::relative) return g - 2 - k;
  if (k % 2 == 1) return k - 1;
  return 2 * (k / 2 + 1) == g ? k : k + 1;  // half-way round is its own way back
}

Machine make_dragonfly(const Dragonfly& d) {
  check(d);
  const int a = d.routers_per_group, h = d.global_links_per_router, g = d.groups;
  const int num_copies = copies(d);
  std::vector<Wire> wires;
  for (int i = 0; i < g; ++i) {
    for (int r = 0; r < a; ++r)
      for (int to = 0; to < a; ++to)
        if (to != r) wires.push_back({i * a + r, i * a + to, local});
    for (int copy = 0; copy < num_copies; ++copy)
      for (int k = 0; k < g - 1; ++k) {
        const int to = group_behind(d.arrangement, i, k, g);
        const int port = copy * (g - 1) + k;
        const int far_port = copy * (g - 1) + port_behind(d.arrangement, i, k, g);
        wires.push_back({i * a + port / h, to * a + far_port / h, global});
      }
  }
  std::vector<std::int32_t> node_router;
  for (int n = 0; n < g * a * d.nodes_per_router; ++n)
    node_router.push_back(n / d.nodes_per_router);
  Machine machine = begin_machine(d.basics, "dragonfly");
  set_groups(machine, {g, 1, a, 1});
  machine.classes = {named("injection", d.injection), named("ejection", d.ejection),
                     named("local", d.local), named("global", d.global)};
  connect(machine, std::move(node_router), g * a, std::move(wires), injection, ejection);
  return machine;
}

}  // namespace odonata
