#include "odonata/machine/families/graph/fixed.hpp"

#include <algorithm>
#include <utility>

#include "odonata/machine/families/graph/lengths.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

struct RouteMemory {     // the family's part of a packet's state
  std::int32_t address;  // column of the tables and 1; 0: no port, only a router
  std::uint16_t in;      // way into the router where the packet is
  std::uint16_t level;   // service level
};

constexpr std::uint8_t narrow_none = static_cast<std::uint8_t>(Routes::none);
constexpr std::int32_t most_narrow = static_cast<std::uint8_t>(Routes::delivers);

// The last bytes of the ways out; empty where a router has too many links for a byte.
Table<std::uint8_t> narrowed(const Routes& routes, const Machine& machine) {
  for (std::size_t r = 0; r + 1 < machine.first_link.size(); ++r)
    if (machine.first_link[r + 1] - machine.first_link[r] > most_narrow) return {};
  Table<std::uint8_t> narrow(routes.out.size());
  std::ranges::transform(routes.out, narrow.begin(),
                         [](std::uint16_t way) { return static_cast<std::uint8_t>(way); });
  return narrow;
}

}  // namespace

bool FixedRouting::reaches(std::int32_t from_port, std::int32_t to_port) const {
  const std::size_t at =
      routes_->index(machine_.port_router[from_port], routes_->column(from_port, to_port));
  return narrow_.empty() ? routes_->out[at] != Routes::none : narrow_[at] != narrow_none;
}

FixedRouting::FixedRouting(const Machine& machine, std::shared_ptr<const Routes> routes,
                           bool acyclic)
    : Routing(false, false, true, true),
      machine_(machine),
      routes_(without_endless(std::move(routes), machine)),
      narrow_(narrowed(*routes_, machine)),
      acyclic_(acyclic),
      at_(machine),
      hops_(machine) {}

void FixedRouting::note_ports(RouteState& state, std::int32_t from_port,
                              std::int32_t to_port) const {
  if (!reaches(from_port, to_port))
    throw UserError("routes: no route leads from port " + std::to_string(from_port) + " to port " +
                    std::to_string(to_port) + "; odonata machines check counts such pairs");
  const auto router = static_cast<std::size_t>(machine_.port_router[from_port]);
  RouteMemory& memory = state.as<RouteMemory>();
  memory.address = routes_->column(from_port, to_port) + 1;
  memory.level = static_cast<std::uint16_t>(routes_->level(from_port, to_port));
  memory.in = static_cast<std::uint16_t>(machine_.first_link[router + 1] -
                                         machine_.first_link[router] + at_.at[from_port]);
}

Hop FixedRouting::next(RouteState& state, std::int32_t router, std::uint64_t /*packet*/,
                       const Loads& /*loads*/) const {
  RouteMemory& memory = state.as<RouteMemory>();
  ++state.hops;
  if (memory.address == 0) return {nearer(router, state.to), 0};
  const std::size_t at = routes_->index(router, memory.address - 1);
  const std::uint16_t way = narrow_.empty() ? routes_->out[at] : narrow_[at];
  const std::int32_t link = machine_.first_link[router] + way;
  const int lane = routes_->lane(router, memory.in, way, memory.level);
  if (!routes_->map_of.empty()) memory.in = routes_->way_in[link - 2 * machine_.num_ports()];
  return {link, lane};
}

void FixedRouting::fetch_hop(const RouteState& state, std::int32_t router) const {
  const std::int32_t address = state.as<RouteMemory>().address;
  if (address > 0 && !narrow_.empty())
    __builtin_prefetch(&narrow_[routes_->index(router, address - 1)]);
}

// The first link on a shortest route, for routers without ports, to which no table leads.
std::int32_t FixedRouting::nearer(std::int32_t router, std::int32_t to) const {
  const auto r = static_cast<std::size_t>(router);
  for (std::int32_t l = machine_.first_link[r]; l < machine_.first_link[r + 1]; ++l)
    if (hops_.between(machine_.links[l].to, to) + 1 == hops_.between(router, to)) return l;
  throw UserError("routes: no route leads from router " + std::to_string(router) + " to router " +
                  std::to_string(to));
}

RouteState FixedRouting::widened(const RouteState& state, std::int32_t /*router*/) const {
  RouteState wide = state;
  wide.hops = 0;
  wide.decided = false;
  return wide;
}

void FixedRouting::choices(const RouteState& state, std::int32_t router,
                           std::vector<Choice>& out) const {
  const auto go = [&](RouteState now) {
    if (now.to == router) return;
    const Hop hop = next(now, router, 0, Loads{});
    out.push_back({hop, widened(now, machine_.links[hop.link].to)});
  };
  if (state.to != anywhere) return go(state);
  for (std::int32_t i = 0; i < at_.count(router); ++i)
    for (std::int32_t to = 0; to < routes_->ports; ++to) {
      const std::int32_t from = at_.ports[at_.first[router] + i];
      if (reaches(from, to)) go(start(from, to, machine_.port_router[to]));
    }
}

std::shared_ptr<const RouteCounts> FixedRouting::count_routes() const {
  return std::make_shared<const RouteCounts>(odonata::count_routes(*routes_, machine_));
}

}  // namespace odonata
