// A graph: routers and links as a user lists them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of a graph. `Wire::link_class` counts injection as 0, ejection as 1, and the
/// classes of its own from 2 on. Every wire needs another one of its class the other way. Where
/// nodes have several ports, `node_ports` has their numbers, and `node_router` the router of each
/// port; where ports have links of several classes, `port_links` has both classes of each port.
struct Graph {
  Basics basics;
  int routers = 0;
  std::vector<std::int32_t> node_router;  // [num_nodes]
  std::vector<std::int32_t> node_ports;   // [num_nodes] or empty
  std::vector<std::int32_t> port_links;   // [2 * num_ports] or empty
  std::vector<Wire> wires;                // every direction
  LinkClass injection, ejection;
  std::vector<LinkClass> own;
  bool by_source = false;  // address of a port: by the sender's, or the first
  int lanes = 0;           // virtual lanes; 0: as the routes use
  std::string routes;  // content of a file of routes, or empty
};

/// Throws UserError if a parameter is out of range, a wire dangles or goes one way, or a router
/// can't be reached and the graph brings no routes.
[[nodiscard]] Machine make_graph(const Graph& parameters);

[[nodiscard]] const Declaration<Graph>& declare_graph();

}  // namespace odonata
