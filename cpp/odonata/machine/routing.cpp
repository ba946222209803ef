#include "odonata/machine/routing.hpp"

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

std::vector<Hop> Routing::route(const Machine& machine, std::int32_t from, std::int32_t to,
                                std::uint64_t packet, const Loads& loads) const {
  std::vector<Hop> hops;
  RouteState state;
  state.to = to;
  while (!arrived(state, from)) {
    hops.push_back(next(state, from, packet, loads));
    from = machine.links[hops.back().link].to;
  }
  return hops;
}

std::vector<std::int32_t> Routing::minimal_route(const Machine& machine, std::int32_t from,
                                                 std::int32_t to) const {
  std::vector<std::int32_t> route;
  RouteState state;
  state.to = to;
  state.decided = true;
  while (from != to) {
    const Hop hop = next(state, from, 0, Loads{});
    route.push_back(hop.link);
    from = machine.links[hop.link].to;
  }
  return route;
}

std::unique_ptr<Routing> make_routing(const Machine& machine, const RoutingOptions& options) {
  return machine.topology->routing(machine, options);
}

}  // namespace odonata
