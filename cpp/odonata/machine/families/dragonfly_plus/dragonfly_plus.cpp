#include "odonata/machine/families/dragonfly_plus/dragonfly_plus.hpp"

#include <numeric>
#include <utility>

#include "odonata/machine/families/dragonfly_plus/cells.hpp"
#include "odonata/machine/routing/detours.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

enum Class : std::int32_t { injection, ejection, local, global };

int cables(const DragonflyPlus& d) { return d.links_per_pair == 0 ? 1 : d.links_per_pair; }

// Leaves of each cell.
std::vector<std::int32_t> leaves_of(const DragonflyPlus& d) {
  const auto cells = static_cast<std::size_t>(d.cells);
  if (d.leaves_per_cell.size() == 1) return std::vector(cells, d.leaves_per_cell.front());
  if (d.leaves_per_cell.size() != cells)
    throw UserError("shape.leaves_per_cell: number of values",
                    static_cast<std::int64_t>(d.leaves_per_cell.size()),
                    "1, or " + std::to_string(d.cells) + ", one for each cell");
  return d.leaves_per_cell;
}

// Links of a pair of cells; throws UserError if the global ports don't suffice.
int copies(const DragonflyPlus& d) {
  if (d.cells == 1) {
    check_range("shape.links_per_cell_pair", d.links_per_cell_pair, 0, 0);
    return 0;
  }
  const int ports = d.spines_per_cell * d.global_links_per_spine;
  const int most = ports / (d.cells - 1);
  if (most == 0)
    throw UserError("shape.cells: more than " + std::to_string(d.spines_per_cell) +
                        " spines of a cell with " + std::to_string(d.global_links_per_spine) +
                        " global links each can join",
                    d.cells, "1 to " + std::to_string(ports + 1));
  if (d.links_per_cell_pair == 0) return most;
  check_range("shape.links_per_cell_pair", d.links_per_cell_pair, 1, most);
  return d.links_per_cell_pair;
}

std::int64_t num_nodes(const DragonflyPlus& d, std::int64_t leaves) {
  if (!d.leaf_of_node.empty()) {
    check_range("shape.nodes_per_leaf: beside shape.leaf_of_node", d.nodes_per_leaf, 0, 0);
    return static_cast<std::int64_t>(d.leaf_of_node.size());
  }
  if (d.nodes_per_leaf == 0)
    throw UserError("shape.nodes_per_leaf: missing (or shape.leaf_of_node, or shape.node_map)");
  return leaves * d.nodes_per_leaf;
}

void check(const DragonflyPlus& d) {
  check_declared(declare_dragonfly_plus(), d);
  const std::vector<std::int32_t> leaves_each = leaves_of(d);
  const std::int64_t leaves =
      std::accumulate(leaves_each.begin(), leaves_each.end(), std::int64_t{0});
  const std::int64_t spines = std::int64_t{d.cells} * d.spines_per_cell;
  const std::int64_t nodes = num_nodes(d, leaves);
  check_range("shape: number of routers", leaves + spines, 1, most_routers);
  check_range("shape: number of nodes", nodes, 1, most_nodes);
  check_range("shape: number of links",
              2 * nodes + 2 * leaves * d.spines_per_cell * cables(d) +
                  spines * d.global_links_per_spine,
              1, most_links);
  for (std::size_t n = 0; n < d.leaf_of_node.size(); ++n)
    check_range("shape.leaf_of_node[" + std::to_string(n) + "]", d.leaf_of_node[n], 0, leaves - 1);
}

std::vector<std::int32_t> place_nodes(const DragonflyPlus& d, const Cells& cells) {
  std::vector<std::int32_t> node_router;
  for (const std::int32_t leaf : d.leaf_of_node) node_router.push_back(cells.leaf(leaf));
  if (!node_router.empty()) return node_router;
  for (std::int32_t leaf = 0; leaf < cells.num_leaves(); ++leaf)
    node_router.insert(node_router.end(), static_cast<std::size_t>(d.nodes_per_leaf),
                       cells.leaf(leaf));
  return node_router;
}

// Links inside a cell, in the order of `Cells`.
void add_local_links(const Cells& cells, std::int32_t cell, std::vector<Wire>& wires) {
  for (std::int32_t l = 0; l < cells.leaves(cell); ++l)
    for (std::int32_t s = 0; s < cells.spines(); ++s)
      for (std::int32_t cable = 0; cable < cells.cables(); ++cable) {
        const std::int32_t leaf = cells.leaf_of(cell, l), spine = cells.spine_of(cell, s);
        wires.push_back({leaf, spine, local});
        wires.push_back({spine, leaf, local});
      }
}

void add_global_links(const DragonflyPlus& d, const Cells& cells, std::vector<Wire>& wires) {
  const int g = d.cells, num_copies = copies(d);
  for (int i = 0; i < g; ++i)
    for (int copy = 0; copy < num_copies; ++copy)
      for (int k = 0; k < g - 1; ++k) {
        const int to = group_behind(d.arrangement, i, k, g);
        const int port = copy * (g - 1) + k;
        const int far_port = copy * (g - 1) + port_behind(d.arrangement, i, k, g);
        wires.push_back({cells.spine_of(i, port / d.global_links_per_spine),
                         cells.spine_of(to, far_port / d.global_links_per_spine), global});
      }
}

}  // namespace

const Declaration<DragonflyPlus>& declare_dragonfly_plus() {
  using Kind = Parameter::Kind;
  static const Declaration<DragonflyPlus> declared{
      .name = "dragonfly-plus",
      .summary = "Cells of leaves and spines, and links between the spines of any two cells"
                 " (Shpiner et al. 2017)",
      .keys =
          {
              {{.name = "cells",
                .low = 1,
                .high = most_groups,
                .meaning = "Cells; at most spines_per_cell x global_links_per_spine + 1",
                .start = "5"},
               &DragonflyPlus::cells},
              {{.name = "leaves_per_cell",
                .kind = Kind::counts,
                .low = 1,
                .high = 4'096,
                .meaning = "Leaves, the routers with nodes: one number for all cells, or one for"
                           " each",
                .start = "[4]"},
               &DragonflyPlus::leaves_per_cell},
              {{.name = "spines_per_cell",
                .low = 1,
                .high = 4'096,
                .meaning = "Spines of a cell, each joined to every leaf of it",
                .start = "4"},
               &DragonflyPlus::spines_per_cell},
              {{.name = "nodes_per_leaf",
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Nodes of each leaf, where leaf_of_node and node_map are left out",
                .start = "4"},
               &DragonflyPlus::nodes_per_leaf},
              {{.name = "leaf_of_node",
                .kind = Kind::counts,
                .low = 0,
                .high = most_routers,
                .required = false,
                .meaning = "Leaf of each node; leaves are numbered through all cells"},
               &DragonflyPlus::leaf_of_node},
              {{.name = "node_map",
                .kind = Kind::file,
                .required = false,
                .meaning = "A file that lists the nodes of each leaf, in place of leaf_of_node"},
               std::monostate{}},
              {{.name = "links_per_pair",
                .low = 1,
                .high = 64,
                .required = false,
                .meaning = "Links between a leaf and a spine; left out: one"},
               &DragonflyPlus::links_per_pair},
              {{.name = "global_links_per_spine",
                .low = 0,
                .high = 4'096,
                .meaning = "Links of a spine to other cells",
                .start = "4"},
               &DragonflyPlus::global_links_per_spine},
              {{.name = "links_per_cell_pair",
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Links between two cells; left out: as many as the ports allow"},
               &DragonflyPlus::links_per_cell_pair},
              {{.name = "arrangement",
                .kind = Kind::choice,
                .choices = {"absolute", "relative", "circulant"},
                .meaning = "Which port leads to which cell: see docs/concepts/machine.md",
                .start = "\"relative\""},
               [](DragonflyPlus& d, const std::string& name) {
                 d.arrangement = arrangement_named(name);
               }},
          },
      .classes = {{injection_class, &DragonflyPlus::injection},
                  {ejection_class, &DragonflyPlus::ejection},
                  {{"local", "Links between leaves and spines", "#E69F00"}, &DragonflyPlus::local},
                  {{"global", "Links between cells", "#0072B2"}, &DragonflyPlus::global}},
      .policies = detour_policies(),
      .make = make_dragonfly_plus,
  };
  return declared;
}

Machine make_dragonfly_plus(const DragonflyPlus& d) {
  check(d);
  const Cells cells(leaves_of(d), d.spines_per_cell, cables(d));
  std::vector<Wire> wires;
  for (std::int32_t cell = 0; cell < d.cells; ++cell) add_local_links(cells, cell, wires);
  add_global_links(d, cells, wires);
  Machine machine = begin_machine(d.basics, "dragonfly-plus");
  const auto topology = std::make_shared<CellTopology>(cells);
  machine.levels = {topology->level()};
  machine.topology = topology;
  machine.classes = declared_classes(declare_dragonfly_plus(), d);
  connect(machine, place_nodes(d, cells), cells.num_routers(), std::move(wires), injection,
          ejection);
  return machine;
}

}  // namespace odonata
