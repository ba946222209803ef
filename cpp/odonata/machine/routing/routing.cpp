#include "odonata/machine/routing/routing.hpp"

#include <algorithm>

#include "odonata/machine/topology.hpp"

namespace odonata {

Distances Routing::distances(const std::vector<std::int64_t>& nodes) const {
  Distances found;
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < nodes.size(); ++b)
      if (a != b)
        found.add(distance(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)),
                  nodes[a] * nodes[b]);
  return found;
}

namespace {

// First port on a router, or -1.
std::int32_t first_port(const Machine& machine, std::int32_t router) {
  const auto found = std::ranges::find(machine.port_router, router);
  return found == machine.port_router.end()
             ? -1
             : static_cast<std::int32_t>(found - machine.port_router.begin());
}

}  // namespace

RouteState Routing::start_between(const Machine& machine, std::int32_t from,
                                  std::int32_t to) const {
  RouteState state;
  state.to = to;
  const std::int32_t source = first_port(machine, from), goal = first_port(machine, to);
  return source < 0 || goal < 0 ? state : start(source, goal, to);
}

std::vector<Hop> Routing::follow(const Machine& machine, RouteState state, std::int32_t router,
                                 std::uint64_t packet, const Loads& loads) const {
  std::vector<Hop> hops;
  while (!arrived(state, router)) {
    hops.push_back(next(state, router, packet, loads));
    router = machine.links[hops.back().link].to;
  }
  return hops;
}

std::vector<Hop> Routing::route(const Machine& machine, std::int32_t from, std::int32_t to,
                                std::uint64_t packet, const Loads& loads) const {
  return follow(machine, start_between(machine, from, to), from, packet, loads);
}

std::vector<std::int32_t> Routing::minimal_route(const Machine& machine, std::int32_t from,
                                                 std::int32_t to) const {
  RouteState state = start_between(machine, from, to);
  state.decided = true;
  std::vector<std::int32_t> route;
  for (const Hop& hop : follow(machine, state, from, 0, Loads{})) route.push_back(hop.link);
  return route;
}

std::unique_ptr<Routing> make_routing(const Machine& machine, const RoutingOptions& options) {
  return machine.topology->routing(machine, options);
}

}  // namespace odonata
