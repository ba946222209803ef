#include "odonata/machine/families/graph/graph.hpp"

#include <algorithm>
#include <numeric>

#include "odonata/machine/families/graph/routes.hpp"
#include "odonata/machine/families/graph/topology.hpp"
#include "odonata/machine/wires.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr std::int64_t most_classes_of_own = 254;  // the packet engine keeps a class in a byte

void check_ports(const Graph& graph) {
  const std::size_t ports = graph.node_router.size();
  if (!graph.node_ports.empty()) {
    std::int64_t sum = 0;
    for (const std::int32_t count : graph.node_ports) sum += count;
    if (sum != static_cast<std::int64_t>(ports))
      throw UserError("shape.node_ports: sum", sum,
                      std::to_string(ports) + ", as shape.node_router has a router for each port");
    if (graph.basics.ports.per_node > 1)
      throw UserError("nic.ports: given beside shape.node_ports", graph.basics.ports.per_node);
    if (graph.basics.ports.routers > 1)
      throw UserError("nic.routers: given beside shape.node_ports", graph.basics.ports.routers);
  }
}

void check_port_links(const Graph& graph) {
  const std::size_t ports = graph.node_router.size();
  if (graph.port_links.empty()) return;
  if (graph.port_links.size() != 2 * ports)
    throw UserError("shape.port_links: length", graph.port_links.size(),
                    std::to_string(2 * ports) + ", two classes for each port");
  for (std::size_t i = 0; i < graph.port_links.size(); ++i) {
    const std::int32_t c = graph.port_links[i];
    check_range("shape.port_links: class", c, 0, static_cast<std::int64_t>(graph.own.size()) + 1);
    if (c < 2 ? c != static_cast<std::int32_t>(i % 2)
              : !(i % 2 == 0 ? graph.own[c - 2].injects() : graph.own[c - 2].ejects()))
      throw UserError("shape.port_links[" + std::to_string(i) + "]: not a class of such links", c,
                      i % 2 == 0 ? "injection" : "ejection");
  }
}

void check(const Graph& graph) {
  check_declared(declare_graph(), graph);
  check_range("shape.routers", graph.routers, 1, most_routers);
  check_range("shape: number of nodes", static_cast<std::int64_t>(graph.node_router.size()), 1,
              most_nodes);
  check_range("shape: number of links",
              static_cast<std::int64_t>(graph.wires.size() + 2 * graph.node_router.size()), 1,
              most_links);
  check_range("links: classes of the file's own", static_cast<std::int64_t>(graph.own.size()), 0,
              most_classes_of_own);
  for (std::size_t n = 0; n < graph.node_router.size(); ++n)
    check_range("shape.nodes[" + std::to_string(n) + "]", graph.node_router[n], 0,
                graph.routers - 1);
  check_wires("shape.links", graph.wires, graph.routers);
  for (const Wire& w : graph.wires) {
    check_range("shape.links: class", w.link_class, 2,
                static_cast<std::int64_t>(graph.own.size()) + 1);
    if (graph.own[w.link_class - 2].of_nodes())
      throw UserError("shape.links: class of links of nodes", graph.own[w.link_class - 2].name);
  }
  check_ports(graph);
  check_port_links(graph);
}

void check_connected(const Graph& graph) {
  std::vector<std::int32_t> root(graph.routers);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t r) {
    auto i = static_cast<std::size_t>(r);
    while (root[i] != static_cast<std::int32_t>(i)) {
      root[i] = root[root[i]];
      i = static_cast<std::size_t>(root[i]);
    }
    return i;
  };
  for (const Wire& w : graph.wires) root[find(w.from)] = static_cast<std::int32_t>(find(w.to));
  for (std::int32_t r = 1; r < graph.routers; ++r)
    if (find(r) != find(0))
      throw UserError("shape.links: no route joins routers 0 and " + std::to_string(r));
}

}  // namespace

const Declaration<Graph>& declare_graph() {
  using Kind = Parameter::Kind;
  static const Declaration<Graph> declared{
      .name = "graph",
      .summary = "Routers and links as they are listed, routed by shortest paths or tables",
      .keys =
          {
              {{.name = "routers",
                .low = 1,
                .high = most_routers,
                .required = false,
                .meaning = "Routers, if the last of them have neither nodes nor links"},
               &Graph::routers},
              {{.name = "node_router",
                .kind = Kind::counts,
                .low = 0,
                .high = most_routers,
                .required = false,
                .meaning = "Router of each node, where links are listed here",
                .start = "[0, 0, 1, 1]"},
               &Graph::node_router},
              {{.name = "node_ports",
                .kind = Kind::counts,
                .low = 1,
                .high = most_ports_per_node,
                .required = false,
                .meaning = "Ports of each node, where nodes have several; node_router is then the"
                           " router of each port"},
               &Graph::node_ports},
              {{.name = "port_links",
                .kind = Kind::counts,
                .low = 0,
                .high = most_classes_of_own + 1,
                .required = false,
                .meaning = "Numbers of the classes of each port's links, in and out, where they"
                           " differ: 0, 1, or classes of the file's own, injection-<name> and"
                           " ejection-<name>, counted from 2"},
               &Graph::port_links},
              {{.name = "links",
                .kind = Kind::wires,
                .low = 0,
                .high = most_routers,
                .required = false,
                .meaning = "Links of routers, both directions, each of a class that has a table"
                           " [links.<class>]",
                .start = "[[0, 1, \"cable\"], [1, 0, \"cable\"]]"},
               &Graph::wires},
              {{.name = "fabric",
                .kind = Kind::file,
                .required = false,
                .meaning = "A file of switches, hosts with their adapters, and cables instead of"
                           " links and node_router, as odonata machines import writes it"},
               {}},
              {{.name = "routes",
                .kind = Kind::file,
                .required = false,
                .meaning = "Forwarding tables of the fabric, as odonata machines import writes"
                           " them: routing minimal follows them"},
               [](Graph& graph, const std::string& content) { graph.routes = content; }},
              {{.name = "lanes",
                .low = 1,
                .high = 16,
                .required = false,
                .meaning = "Virtual lanes of a link; lanes of the tables are taken modulo their"
                           " number; absent: as many as the tables use"},
               &Graph::lanes},
              {{.name = "addresses",
                .kind = Kind::choice,
                .choices = {"first", "by-source"},
                .required = false,
                .meaning = "Address of a port with several (LMC): the first for all, or the number"
                           " of the sender's port modulo their number; absent: first"},
               [](Graph& graph, const std::string& rule) { graph.by_source = rule != "first"; }},
              {{.name = "edges",
                .kind = Kind::file,
                .required = false,
                .meaning = "Edge list instead of links and node_router: lines 'node <n> router <r>'"
                           " and 'link <from> <to> <class>', both directions"},
               {}},
              {{.name = "wiring",
                .kind = Kind::file,
                .required = false,
                .meaning = "A Cray wiring file instead of links and node_router"},
               {}},
              {{.name = "nodes_per_router",
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Nodes of each router of the wiring"},
               {}},
          },
      .classes = {{injection_class, &Graph::injection}, {ejection_class, &Graph::ejection}},
      .own_names = {"cable"},
      .own = &Graph::own,
      .policies = graph_policies(),
      .make = make_graph,
  };
  return declared;
}

namespace {

// Whose the ports are, where nodes have different numbers of them.
void set_ports(Machine& machine, const Graph& graph) {
  const std::vector<std::int32_t>& counts = graph.node_ports;
  if (counts.empty()) return;
  const auto [least, most] = std::ranges::minmax(counts);
  machine.ports.per_node = most;
  if (least == most) return;
  if (machine.ports.stripe_from != any_size)
    throw UserError("nic.stripe_from: nodes have different numbers of ports", least,
                    std::to_string(most) + " of each node");
  machine.first_port.assign(1, 0);
  for (const std::int32_t count : counts)
    machine.first_port.push_back(machine.first_port.back() + count);
}

void connect_graph(Machine& machine, const Graph& graph) {
  if (graph.node_ports.empty() && graph.port_links.empty())
    return connect(machine, graph.node_router, graph.routers, graph.wires, 0, 1);
  if (graph.node_ports.empty() && machine.ports.per_node > 1)
    throw UserError("shape.port_links: given beside nic.ports", machine.ports.per_node,
                    "shape.node_ports");
  set_ports(machine, graph);
  std::vector<NodePort> ports;
  for (std::size_t p = 0; p < graph.node_router.size(); ++p)
    ports.push_back({graph.node_router[p], graph.port_links.empty() ? 0 : graph.port_links[2 * p],
                     graph.port_links.empty() ? 1 : graph.port_links[2 * p + 1]});
  connect_ports(machine, ports, graph.routers, graph.wires);
}

std::shared_ptr<const Routes> routes_of(const Graph& graph, const Machine& machine) {
  if (graph.routes.empty()) return nullptr;
  auto routes = std::make_shared<Routes>(decode_routes(graph.routes, machine));
  routes->by_source = graph.by_source;
  if (graph.lanes > 0) routes->lanes = graph.lanes;
  return routes;
}

}  // namespace

Machine make_graph(const Graph& graph) {
  check(graph);
  if (graph.routes.empty()) check_connected(graph);
  Machine machine = begin_machine(graph.basics, "graph");
  machine.classes = declared_classes(declare_graph(), graph);
  connect_graph(machine, graph);
  machine.topology = std::make_shared<GraphTopology>(routes_of(graph, machine));
  return machine;
}

}  // namespace odonata
