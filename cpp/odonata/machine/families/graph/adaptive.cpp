#include "odonata/machine/families/graph/adaptive.hpp"

#include "odonata/machine/families/graph/tiers.hpp"

namespace odonata {

AdaptiveShortest::AdaptiveShortest(const Machine& machine, const RoutingOptions& options,
                                   bool partial)
    : Routing(true, false),
      machine_(machine),
      options_(options),
      hops_(machine),
      goals_(leaves_of(machine)) {
  if (!partial) hops_.check_connected();
}

// A link for which the fewest bytes wait; chance decides between equals.
Hop AdaptiveShortest::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                           const Loads& loads) const {
  std::uint64_t equals = 0;
  std::int64_t least = 0;
  std::int32_t best = -1;
  const Draws draws(options_.seed, Purpose::route, packet);
  const std::uint64_t bits = draws.bits(state.hops);
  each_closer(router, state.to, [&](std::int32_t l) {
    const std::int64_t waiting = loads.waiting_bytes(l);
    if (best >= 0 && waiting > least) return;
    if (best < 0 || waiting < least) equals = 0;
    least = waiting;
    ++equals;
    if (mix(bits ^ static_cast<std::uint64_t>(l)) % equals == 0) best = l;
  });
  ++state.hops;
  return {best, 0};
}

RouteState AdaptiveShortest::widened(const RouteState& state, std::int32_t /*router*/) const {
  RouteState wide;
  wide.to = state.to;
  return wide;
}

void AdaptiveShortest::choices(const RouteState& state, std::int32_t router,
                               std::vector<Choice>& out) const {
  const auto toward = [&](std::int32_t to) {
    if (to == router) return;
    RouteState after;
    after.to = to;
    each_closer(router, to, [&](std::int32_t l) { out.push_back({{l, 0}, after}); });
  };
  if (state.to != anywhere) return toward(state.to);
  for (const std::int32_t to : goals_) toward(to);
}

}  // namespace odonata
