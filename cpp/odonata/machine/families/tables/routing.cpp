#include "odonata/machine/families/tables/routing.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {
enum Draw : std::uint64_t { middle_draw, next_draw, detour_draw, draws_a_hop };

struct RouteMemory {            // the family's part of a packet's state
  std::int32_t middle;  // intermediate router of a detour
};

std::int32_t middle_of(const RouteState& state) {
  return state.detours ? state.as<RouteMemory>().middle : -1;
}
void set_middle(RouteState& state, std::int32_t router) {
  state.detours = router >= 0;
  state.as<RouteMemory>().middle = std::max(router, 0);
}
}  // namespace

TableRouting::TableRouting(const Machine& machine, const RoutingOptions& options, bool partial)
    : Routing(is_adaptive(policy_named(options.policy)), false),
      machine_(machine),
      options_(options),
      policy_(policy_named(options.policy)),
      num_routers_(machine.num_routers()),
      hops_(machine) {
  if (!partial) hops_.check_connected();
  if (num_vcs(0) > most_vcs)
    throw UserError("graph: links of the longest route, and virtual channels", num_vcs(0),
                    "up to " + std::to_string(most_vcs));
}

Hop TableRouting::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                       const Loads& loads) const {
  if (!state.decided) decide(state, router, packet, loads);
  if (middle_of(state) == router) set_middle(state, -1);
  const std::int32_t goal = state.detours ? middle_of(state) : state.to;
  const Draws draws(options_.seed, Purpose::route, packet);
  const Hop hop{toward(router, goal, draws.bits(state.hops * draws_a_hop + next_draw)), state.hops};
  ++state.hops;
  return hop;
}

// Minimal, or through a random router: decided at the source.
void TableRouting::decide(RouteState& state, std::int32_t router, std::uint64_t packet,
                          const Loads& loads) const {
  state.decided = true;
  if (policy_ == Policy::minimal) return;
  const Draws draws(options_.seed, Purpose::route, packet);
  const auto middle =
      static_cast<std::int32_t>(draws.below(middle_draw, static_cast<std::uint32_t>(num_routers_)));
  if (middle == router || middle == state.to || !hops_.reach(router, middle)) return;
  if (policy_ != Policy::valiant) {
    const std::int32_t direct = toward(router, state.to, draws.bits(next_draw));
    const std::int32_t detour = toward(router, middle, draws.bits(next_draw));
    if (loads.waiting_bytes(direct) * distance(router, state.to) <=
        loads.waiting_bytes(detour) * (distance(router, middle) + distance(middle, state.to)) +
            options_.bias_bytes)
      return;
  }
  set_middle(state, middle);
}

// One of the links on a shortest route, all equally likely.
std::int32_t TableRouting::toward(std::int32_t router, std::int32_t goal,
                                  std::uint64_t bits) const {
  const int closer = distance(router, goal) - 1;
  const auto first = machine_.first_link[router];
  const auto last = machine_.first_link[router + 1];
  const auto leads = [&](std::int32_t l) { return distance(machine_.links[l].to, goal) == closer; };
  std::uint64_t count = 0;
  for (std::int32_t l = first; l < last; ++l) count += leads(l) ? 1 : 0;
  std::uint64_t chosen = ((bits >> 32) * count) >> 32;
  for (std::int32_t l = first; l < last; ++l)
    if (leads(l) && chosen-- == 0) return l;
  throw InternalError("routing: no link leads closer");
}

int TableRouting::num_vcs(int /*link_class*/) const {
  return std::max(1, policy_ == Policy::minimal ? diameter() : 2 * diameter());
}

// The router that the packet heads for, and the links taken; on large machines the latter only.
RouteState TableRouting::widened(const RouteState& state, std::int32_t router) const {
  RouteState wide;
  wide.to = anywhere;
  wide.hops = state.hops;
  wide.decided = state.decided;
  if (!state.decided || num_routers_ > most_exact || middle_of(state) == router) return wide;
  set_middle(wide, middle_of(state));
  if (!state.detours) wide.to = state.to;
  return wide;
}

void TableRouting::choices(const RouteState& state, std::int32_t router,
                           std::vector<Choice>& out) const {
  RouteState wide = widened(state, router);
  if (wide.detours) return choose_toward(wide, router, middle_of(wide), out);
  if (wide.to != anywhere) return choose_toward(wide, router, wide.to, out);
  if (wide.hops >= num_vcs(0)) return;
  const bool start = !wide.decided && policy_ != Policy::minimal;
  wide.decided = true;
  for (std::int32_t goal = 0; goal < machine_.num_routers(); ++goal) {
    if (num_routers_ > most_exact && distance(router, goal) != 1) continue;
    wide.to = goal;
    choose_toward(wide, router, goal, out);
    wide.to = anywhere;
    set_middle(wide, goal);
    if (start) choose_toward(wide, router, goal, out);
    set_middle(wide, -1);
  }
}

// The first links of all shortest routes.
void TableRouting::choose_toward(const RouteState& state, std::int32_t router, std::int32_t goal,
                                 std::vector<Choice>& out) const {
  if (router == goal) return;
  const int closer = distance(router, goal) - 1;
  for (std::int32_t l = machine_.first_link[router]; l < machine_.first_link[router + 1]; ++l) {
    const std::int32_t to = machine_.links[l].to;
    if (distance(to, goal) != closer) continue;
    RouteState after = state;
    ++after.hops;
    out.push_back({{l, state.hops}, widened(after, to)});
  }
}

}  // namespace odonata
