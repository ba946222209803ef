#include "odonata/machine/families/dragonfly/dragonfly.hpp"

#include <utility>

#include "odonata/machine/families/grouped/groups.hpp"
#include "odonata/machine/routing/detours.hpp"
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
    throw UserError("shape.groups: more than " + std::to_string(d.routers_per_group) +
                        " routers of a group with " + std::to_string(d.global_links_per_router) +
                        " global links each can join",
                    d.groups, "1 to " + std::to_string(ports + 1));
  if (d.links_per_group_pair == 0) return most;
  check_range("shape.links_per_group_pair", d.links_per_group_pair, 1, most);
  return d.links_per_group_pair;
}

void check(const Dragonfly& d) {
  check_declared(declare_dragonfly(), d);
  const std::int64_t routers = std::int64_t{d.groups} * d.routers_per_group;
  const std::int64_t ports =
      d.nodes_per_router * 2 + d.routers_per_group - 1 + d.global_links_per_router;
  check_range("shape: number of routers", routers, 1, most_routers);
  check_range("shape: number of nodes", routers * d.nodes_per_router, 1, most_nodes);
  check_range("shape: number of links", routers * ports, 1, most_links);
}

// The router of each node.
std::vector<std::int32_t> place_nodes(const Dragonfly& d) {
  const int places = d.groups * d.routers_per_group * d.nodes_per_router;
  std::vector<bool> absent(places);
  for (std::size_t i = 0; i < d.absent_nodes.size(); ++i) {
    check_range("shape.absent_nodes[" + std::to_string(i) + "]", d.absent_nodes[i], 0, places - 1);
    absent[d.absent_nodes[i]] = true;
  }
  std::vector<std::int32_t> routers;
  for (int place = 0; place < places; ++place)
    if (!absent[place]) routers.push_back(place / d.nodes_per_router);
  check_range("shape: number of nodes", static_cast<std::int64_t>(routers.size()), 1, most_nodes);
  return routers;
}

}  // namespace

const Declaration<Dragonfly>& declare_dragonfly() {
  using Kind = Parameter::Kind;
  static const Declaration<Dragonfly> declared{
      .name = "dragonfly",
      .summary = "Fully connected groups, and links between any two of them (Kim et al. 2008)",
      .keys =
          {
              {{.name = "nodes_per_router",
                .low = 1,
                .high = 4'096,
                .meaning = "Nodes of each router",
                .start = "2"},
               &Dragonfly::nodes_per_router},
              {{.name = "routers_per_group",
                .low = 1,
                .high = 4'096,
                .meaning = "Routers of a group, a link between any two",
                .start = "4"},
               &Dragonfly::routers_per_group},
              {{.name = "global_links_per_router",
                .low = 0,
                .high = 4'096,
                .meaning = "Links of a router to other groups",
                .start = "2"},
               &Dragonfly::global_links_per_router},
              {{.name = "groups",
                .low = 1,
                .high = most_groups,
                .meaning = "Groups; at most routers_per_group x global_links_per_router + 1",
                .start = "9"},
               &Dragonfly::groups},
              {{.name = "arrangement",
                .kind = Kind::choice,
                .choices = {"absolute", "relative", "circulant"},
                .meaning = "Which port leads to which group: see docs/concepts/machine.md",
                .start = "\"relative\""},
               [](Dragonfly& d, const std::string& name) {
                 d.arrangement = arrangement_named(name);
               }},
              {{.name = "links_per_group_pair",
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Links between two groups; left out: as many as the ports allow"},
               &Dragonfly::links_per_group_pair},
              {{.name = "absent_nodes",
                .kind = Kind::counts,
                .low = 0,
                .high = most_nodes - 1,
                .required = false,
                .meaning = "Places without a node, counted from router to router"},
               &Dragonfly::absent_nodes},
          },
      .classes = {{injection_class, &Dragonfly::injection},
                  {ejection_class, &Dragonfly::ejection},
                  {{"local", "Links inside a group", "#E69F00"}, &Dragonfly::local},
                  {{"global", "Links between groups", "#0072B2"}, &Dragonfly::global}},
      .policies = detour_policies(),
      .make = make_dragonfly,
  };
  return declared;
}

Arrangement arrangement_named(const std::string& name) {
  if (name == "absolute") return Arrangement::absolute;
  if (name == "relative") return Arrangement::relative;
  if (name == "circulant") return Arrangement::circulant;
  throw UserError("shape.arrangement: unknown", name, "absolute, relative, circulant");
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
  Machine machine = begin_machine(d.basics, "dragonfly");
  set_groups(machine, std::make_shared<GroupTopology>(Groups{g, 1, a, 1}));
  machine.classes = declared_classes(declare_dragonfly(), d);
  connect(machine, place_nodes(d), g * a, std::move(wires), injection, ejection);
  return machine;
}

}  // namespace odonata
