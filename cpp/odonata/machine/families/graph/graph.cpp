#include "odonata/machine/families/graph/graph.hpp"

#include <numeric>

#include "odonata/machine/families/tables/tables.hpp"
#include "odonata/machine/routing/detours.hpp"
#include "odonata/machine/wires.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

void check(const Graph& graph) {
  check_declared(declare_graph(), graph);
  check_range("shape.routers", graph.routers, 1, most_routers);
  check_range("shape: number of nodes", static_cast<std::int64_t>(graph.node_router.size()), 1,
              most_nodes);
  check_range("shape: number of links",
              static_cast<std::int64_t>(graph.wires.size() + 2 * graph.node_router.size()), 1,
              most_links);
  for (std::size_t n = 0; n < graph.node_router.size(); ++n)
    check_range("shape.nodes[" + std::to_string(n) + "]", graph.node_router[n], 0,
                graph.routers - 1);
  check_wires("shape.links", graph.wires, graph.routers);
  for (const Wire& w : graph.wires)
    check_range("shape.links: class", w.link_class, 2,
                static_cast<std::int64_t>(graph.own.size()) + 1);
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
      .summary = "Routers and links as they are listed, routed by shortest paths",
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
              {{.name = "links",
                .kind = Kind::wires,
                .low = 0,
                .high = most_routers,
                .required = false,
                .meaning = "Links of routers, both directions, each of a class that has a table"
                           " [links.<class>]",
                .start = "[[0, 1, \"cable\"], [1, 0, \"cable\"]]"},
               &Graph::wires},
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
      .policies = detour_policies(),
      .make = make_graph,
  };
  return declared;
}

Machine make_graph(const Graph& graph) {
  check(graph);
  check_connected(graph);
  Machine machine = begin_machine(graph.basics, "graph");
  machine.topology = std::make_shared<TableTopology>();
  machine.classes = declared_classes(declare_graph(), graph);
  connect(machine, graph.node_router, graph.routers, graph.wires, 0, 1);
  return machine;
}

}  // namespace odonata
