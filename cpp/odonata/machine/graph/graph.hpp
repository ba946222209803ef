// A graph: routers and links as a user lists them.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/family.hpp"

namespace odonata {

/// Parameters of a graph. `Wire::link_class` is an index into `classes`, whose entries 0 and 1
/// are injection and ejection. Every wire needs another one of its class the other way.
struct Graph {
  Basics basics;
  int routers = 0;
  std::vector<std::int32_t> node_router;  // [num_nodes]
  std::vector<Wire> wires;                // every direction
  std::vector<LinkClass> classes;
};

/// Throws UserError if a parameter is out of range, a wire dangles or goes one way, or a router
/// can't be reached.
[[nodiscard]] Machine make_graph(const Graph& parameters);

}  // namespace odonata
