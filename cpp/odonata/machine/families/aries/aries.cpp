#include "odonata/machine/families/aries/aries.hpp"

#include <algorithm>
#include <utility>

#include "odonata/machine/families/aries/topology.hpp"
#include "odonata/machine/routing/detours.hpp"
#include "odonata/machine/wires.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

enum Class : std::int32_t { injection, ejection, green, black, blue };

int routers_per_group(const Aries& a) { return a.rows * a.columns; }

void check_ports(const Aries& a) {
  if (a.groups == 1) return check_range("shape.blue_links", a.blue_links_per_group_pair, 0, 0);
  const int most_pairs = Aries::blue_ports_per_router / 2 * routers_per_group(a) / (a.groups - 1);
  if (most_pairs == 0)
    throw UserError(
        "shape.groups: more than " + std::to_string(routers_per_group(a)) +
            " routers of a group with " + std::to_string(Aries::blue_ports_per_router) +
            " blue ports each can join pair by pair",
        a.groups,
        "1 to " + std::to_string(1 + Aries::blue_ports_per_router / 2 * routers_per_group(a)));
  check_range("shape.blue_links", a.blue_links_per_group_pair, 1, 2 * most_pairs);
}

void check(const Aries& a) {
  check_declared(declare_aries(), a);
  const std::int64_t routers = std::int64_t{a.groups} * routers_per_group(a);
  const std::int64_t ports = a.nodes_per_router * 2 + a.columns - 1 +
                             (a.rows - 1) * a.black_links_per_router_pair +
                             Aries::blue_ports_per_router;
  check_range("shape: number of routers", routers, 1, most_routers);
  check_range("shape: number of links", routers * ports, 1, most_links);
  if (a.blue_links.empty()) check_ports(a);
}

// Routers of a group in the order in which they serve group pairs.
std::vector<std::int32_t> blue_order(const Aries& a) {
  std::vector<std::int32_t> order;
  for (int pair = 0; pair < a.columns; pair += 2)
    for (int row = 0; row < a.rows; ++row)
      for (int column = pair; column < std::min(pair + 2, a.columns); ++column)
        order.push_back(row * a.columns + column);
  return order;
}

// Blue links of a file: symmetric, between groups, and every two groups joined.
void check_blue_links(const Aries& a, const std::vector<Wire>& wires) {
  const int per_group = routers_per_group(a);
  check_wires("shape.blue_links", wires, a.groups * per_group);
  std::vector<bool> joined(static_cast<std::size_t>(a.groups) * static_cast<std::size_t>(a.groups));
  const auto at = [&](int i, int j) {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(a.groups) +
           static_cast<std::size_t>(j);
  };
  for (const Wire& w : wires) {
    if (w.from / per_group == w.to / per_group)
      throw UserError("shape.blue_links: link " + std::to_string(w.from) + " -> " +
                      std::to_string(w.to) + " stays in group " +
                      std::to_string(w.from / per_group));
    joined[at(w.from / per_group, w.to / per_group)] = true;
  }
  for (int i = 0; i < a.groups; ++i)
    for (int j = 0; j < a.groups; ++j)
      if (i != j && !joined[at(i, j)])
        throw UserError("shape.blue_links: no link joins groups " + std::to_string(i) + " and " +
                        std::to_string(j));
}

void add_local_links(const Aries& a, int group, std::vector<Wire>& wires) {
  const int base = group * routers_per_group(a);
  for (int r = 0; r < routers_per_group(a); ++r) {
    const int row = r / a.columns, column = r % a.columns;
    for (int to = 0; to < a.columns; ++to)
      if (to != column) wires.push_back({base + r, base + row * a.columns + to, green});
    for (int to = 0; to < a.rows; ++to)
      for (int cable = 0; cable < a.black_links_per_router_pair && to != row; ++cable)
        wires.push_back({base + r, base + to * a.columns + column, black});
  }
}

std::vector<std::int32_t> place_nodes(const Aries& a) {
  const int routers = a.groups * routers_per_group(a);
  std::vector<int> slots(routers, a.nodes_per_router);
  for (const std::int32_t r : a.service_routers) {
    check_range("shape.service_routers", r, 0, routers - 1);
    slots[r] = 0;
  }
  std::vector<std::int32_t> node_router;
  for (int r = 0; r < routers; ++r)
    node_router.insert(node_router.end(), static_cast<std::size_t>(slots[r]), r);
  const auto all = static_cast<std::int64_t>(node_router.size());
  if (all == 0) throw UserError("shape.service_routers: no router is left for compute nodes");
  check_range("shape.nodes", a.nodes, 0, all);
  if (a.nodes > 0) node_router.resize(a.nodes);
  return node_router;
}

}  // namespace

const Declaration<Aries>& declare_aries() {
  using Kind = Parameter::Kind;
  static const Declaration<Aries> declared{
      .name = "aries",
      .summary = "Cray XC30 and XC40: groups of chassis, in which all routers of a row and of a"
                 " column are joined",
      .keys =
          {
              {{.name = "groups",
                .low = 1,
                .high = most_groups,
                .meaning = "Groups of rows x columns routers",
                .start = "2"},
               &Aries::groups},
              {{.name = "rows",
                .low = 1,
                .high = 64,
                .meaning = "Chassis of a group",
                .start = "6"},
               &Aries::rows},
              {{.name = "columns",
                .low = 1,
                .high = 64,
                .meaning = "Routers of a chassis",
                .start = "16"},
               &Aries::columns},
              {{.name = "nodes_per_router",
                .low = 1,
                .high = 64,
                .meaning = "Nodes of each router",
                .start = "4"},
               &Aries::nodes_per_router},
              {{.name = "black_links",
                .low = 1,
                .high = 64,
                .meaning = "Links between two routers of a column",
                .start = "3"},
               &Aries::black_links_per_router_pair},
              {{.name = "blue_links",
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Links between two groups, where blue_wiring is left out",
                .start = "240"},
               &Aries::blue_links_per_group_pair},
              {{.name = "blue_wiring",
                .kind = Kind::file,
                .required = false,
                .meaning = "A Cray wiring file that lists the blue links"},
               &Aries::blue_links},
              {{.name = "nodes",
                .low = 1,
                .high = most_nodes,
                .required = false,
                .meaning = "Compute nodes, if some at the end are not there"},
               &Aries::nodes},
              {{.name = "service_routers",
                .kind = Kind::counts,
                .low = 0,
                .high = most_routers,
                .required = false,
                .meaning = "Routers whose nodes do not compute"},
               &Aries::service_routers},
          },
      .classes = {{injection_class, &Aries::injection},
                  {ejection_class, &Aries::ejection},
                  {{"green", "Links of a chassis", "#009E73"}, &Aries::green},
                  {{"black", "Links between chassis of a group", "#000000"}, &Aries::black},
                  {{"blue", "Links between groups", "#0072B2"}, &Aries::blue}},
      .policies = detour_policies(),
      .make = make_aries,
  };
  return declared;
}

std::vector<Wire> blue_links_by_rule(const Aries& a) {
  const std::vector<std::int32_t> order = blue_order(a);
  const int per_group = routers_per_group(a);
  const int links = a.blue_links_per_group_pair, pairs = (links + 1) / 2;
  const auto router = [&](int group, int peer, int t) {
    const int k = peer < group ? peer : peer - 1;
    return group * per_group + order[(pairs * k + t) % per_group];
  };
  std::vector<Wire> wires;
  for (int i = 0; i < a.groups; ++i)
    for (int j = 0; j < a.groups; ++j)
      for (int b = 0; b < links && i != j; ++b)
        wires.push_back({router(i, j, b / 2), router(j, i, b / 2), blue});
  return wires;
}

Machine make_aries(const Aries& a) {
  check(a);
  std::vector<std::int32_t> node_router = place_nodes(a);
  std::vector<Wire> wires;
  for (int group = 0; group < a.groups; ++group) add_local_links(a, group, wires);
  std::vector<Wire> blues = a.blue_links.empty() ? blue_links_by_rule(a) : a.blue_links;
  for (Wire& w : blues) w.link_class = blue;
  std::stable_sort(blues.begin(), blues.end(), [](const Wire& a, const Wire& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  check_blue_links(a, blues);
  wires.insert(wires.end(), blues.begin(), blues.end());
  Machine machine = begin_machine(a.basics, "aries");
  const Groups groups{a.groups, a.rows, a.columns, a.black_links_per_router_pair};
  set_groups(machine, std::make_shared<AriesTopology>(groups));
  machine.classes = declared_classes(declare_aries(), a);
  connect(machine, std::move(node_router), a.groups * routers_per_group(a), std::move(wires),
          injection, ejection);
  return machine;
}

}  // namespace odonata
