// A graph: routers and links as a user lists them.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of a graph. `Wire::link_class` counts injection as 0, ejection as 1, and the
/// classes of its own from 2 on. Every wire needs another one of its class the other way.
struct Graph {
  Basics basics;
  int routers = 0;
  std::vector<std::int32_t> node_router;  // [num_nodes]
  std::vector<Wire> wires;                // every direction
  LinkClass injection, ejection;
  std::vector<LinkClass> own;
};

/// Throws UserError if a parameter is out of range, a wire dangles or goes one way, or a router
/// can't be reached.
[[nodiscard]] Machine make_graph(const Graph& parameters);

[[nodiscard]] const Declaration<Graph>& declare_graph();

}  // namespace odonata
