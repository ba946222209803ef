// Routing engines: forwarding tables by a rule, for graphs that bring none. Each has one address a
// port and one lane, and takes the ports in the order of their numbers.
#pragma once

#include "odonata/machine/families/graph/routes.hpp"

namespace odonata {

/// Shortest routes: at each router the link that was given the fewest addresses so far.
[[nodiscard]] Routes route_minhop(const Machine& machine);

/// First up, then down a tree of all routers, whose roots are the routers farthest from nodes, or
/// the middle of the graph where all routers have nodes; the first of several roots alone where
/// these leave a pair without a route (Schroeder et al. 1991).
[[nodiscard]] Routes route_updown(const Machine& machine);

/// Up by the link that belongs to the port, then down (Zahavi 2012). Throws UserError unless the
/// routers have tiers: links join neighbouring ones, and nodes are on the lowest.
[[nodiscard]] Routes route_dmodk(const Machine& machine);

/// Shortest routes: to one port after the other along the links with the fewest routes so far
/// (Hoefler, Schneider, Lumsdaine 2009).
[[nodiscard]] Routes route_sssp(const Machine& machine);

}  // namespace odonata
