#include "odonata/machine/graph/graph.hpp"

#include <numeric>

#include "odonata/machine/tables/tables.hpp"
#include "odonata/machine/wires.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

void check(const Graph& graph) {
  check_basics(graph.basics);
  check_range("shape.routers", graph.routers, 1, most_routers);
  check_range("shape: number of nodes", static_cast<std::int64_t>(graph.node_router.size()), 1,
              most_nodes);
  check_range("shape: number of links",
              static_cast<std::int64_t>(graph.wires.size() + 2 * graph.node_router.size()), 1,
              most_links);
  if (graph.classes.size() < 2 || graph.classes[0].name != "injection" ||
      graph.classes[1].name != "ejection")
    throw InternalError("graph: the first two link classes are injection and ejection");
  for (const LinkClass& c : graph.classes) check_link_class(c.name, c);
  for (std::size_t n = 0; n < graph.node_router.size(); ++n)
    check_range("shape.nodes[" + std::to_string(n) + "]", graph.node_router[n], 0,
                graph.routers - 1);
  check_wires("shape.links", graph.wires, graph.routers);
  for (const Wire& w : graph.wires)
    check_range("shape.links: class", w.link_class, 2,
                static_cast<std::int64_t>(graph.classes.size()) - 1);
}

void check_connected(const Graph& graph) {
  std::vector<std::int32_t> root(static_cast<std::size_t>(graph.routers));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t r) {
    auto i = static_cast<std::size_t>(r);
    while (root[i] != static_cast<std::int32_t>(i)) {
      root[i] = root[static_cast<std::size_t>(root[i])];
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

Machine make_graph(const Graph& graph) {
  check(graph);
  check_connected(graph);
  Machine machine = begin_machine(graph.basics, "graph");
  machine.topology = std::make_shared<TableTopology>();
  machine.classes = graph.classes;
  connect(machine, graph.node_router, graph.routers, graph.wires, 0, 1);
  return machine;
}

}  // namespace odonata
