#include "odonata/machine/families/hyperx/routing.hpp"

#include <numeric>
#include <utility>

namespace odonata {

namespace {

// Draws of a packet along one dimension, which it crosses once.
enum Draw : std::uint64_t { middle_draw, first_cable_draw, second_cable_draw, draws_a_dimension };

struct RouteMemory {             // the family's part of a packet's state
  std::uint8_t next;     // dimensions below are crossed
  std::uint8_t taken;    // hops along dimension `next`: 1 in the middle of a detour
  std::uint8_t detours;  // goes by way of other routers in all dimensions
};

RouteMemory& memory(RouteState& state) { return state.as<RouteMemory>(); }
const RouteMemory& memory(const RouteState& state) { return state.as<RouteMemory>(); }

// Whole number in [0, count) for one draw along a dimension.
std::int32_t draw(const Draws& draws, std::size_t d, Draw what, std::int32_t count) {
  return static_cast<std::int32_t>(
      draws.below(d * draws_a_dimension + what, static_cast<std::uint32_t>(count)));
}

}  // namespace

HyperxRouting::HyperxRouting(const Machine& machine, Grid grid, const RoutingOptions& options)
    : Routing(is_adaptive(policy_named(options.policy)), false),
      machine_(machine),
      grid_(std::move(grid)),
      options_(options),
      policy_(policy_named(options.policy)) {}

Hop HyperxRouting::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                        const Loads& loads) const {
  const Draws draws(options_.seed, Purpose::route, packet);
  const std::size_t d = grid_.first_difference(router, state.to, memory(state).next);
  const int taken = memory(state).taken;
  const std::int32_t goal = grid_.coordinate(state.to, d);
  std::int32_t to = goal;
  if (taken == 0 && detours(state, router, d, draws, loads)) to = middle(router, d, draws);
  memory(state).taken = to == goal ? 0 : 1;
  memory(state).next = static_cast<std::uint8_t>(to == goal ? d + 1 : d);
  ++state.hops;
  return {link(router, d, to, taken, draws), taken};
}

// Does the packet leave the straight way along this dimension? Under `par` it is asked for each.
bool HyperxRouting::detours(RouteState& state, std::int32_t router, std::size_t d,
                            const Draws& draws, const Loads& loads) const {
  if (state.decided) return memory(state).detours != 0;
  if (policy_ == Policy::par) {
    state.decided = grid_.first_difference(router, state.to, d + 1) == grid_.dimensions();
    return prefers_detour(state, router, d, draws, loads);
  }
  state.decided = true;
  const bool all = policy_ == Policy::valiant ||
                   (policy_ != Policy::minimal && prefers_detour(state, router, d, draws, loads));
  memory(state).detours = all ? 1 : 0;
  return all;
}

// Bytes that wait, times hops; the global kind of UGAL also sees the second link of a detour.
bool HyperxRouting::prefers_detour(const RouteState& state, std::int32_t router, std::size_t d,
                                   const Draws& draws, const Loads& loads) const {
  const auto cost = [&](const Plan& p) {
    std::int64_t waiting = loads.waiting_bytes(p.first);
    if (policy_ == Policy::ugal_g && p.second >= 0) waiting += loads.waiting_bytes(p.second);
    return waiting * p.hops;
  };
  return cost(plan(router, state.to, d, false, draws)) >
         cost(plan(router, state.to, d, true, draws)) + options_.bias_bytes;
}

HyperxRouting::Plan HyperxRouting::plan(std::int32_t router, std::int32_t goal, std::size_t d,
                                        bool detours, const Draws& draws) const {
  const std::int32_t last = grid_.coordinate(goal, d);
  const std::int32_t first = detours ? middle(router, d, draws) : last;
  Plan made{link(router, d, first, 0, draws), -1, 0};
  if (first != last) made.second = link(grid_.moved(router, d, first), d, last, 1, draws);
  for (; d < grid_.dimensions(); d = grid_.first_difference(router, goal, d + 1)) {
    made.hops += detours && middle(router, d, draws) != grid_.coordinate(goal, d) ? 2 : 1;
    if (policy_ == Policy::par) break;  // weighs this dimension alone
  }
  return made;
}

// Any other coordinate, all alike.
std::int32_t HyperxRouting::middle(std::int32_t router, std::size_t d, const Draws& draws) const {
  const std::int32_t other = draw(draws, d, middle_draw, grid_.dimension(d).size - 1);
  return other + (other >= grid_.coordinate(router, d) ? 1 : 0);
}

// A link to another coordinate, one of the parallel ones.
std::int32_t HyperxRouting::link(std::int32_t router, std::size_t d, std::int32_t to, int taken,
                                 const Draws& draws) const {
  const std::int32_t cables = grid_.dimension(d).cables;
  const Draw which = taken == 0 ? first_cable_draw : second_cable_draw;
  const std::int32_t cable = cables == 1 ? 0 : draw(draws, d, which, cables);
  return machine_.first_link[router] + grid_.link(router, d, to, cable);
}

// Without a cable to draw.
bool HyperxRouting::has_one_choice(std::int32_t from, std::int32_t to) const {
  if (policy_ != Policy::minimal) return false;
  for (std::size_t d = grid_.first_difference(from, to, 0); d < grid_.dimensions();
       d = grid_.first_difference(from, to, d + 1))
    if (grid_.dimension(d).cables > 1) return false;
  return true;
}

int HyperxRouting::num_vcs(int link_class) const {
  if (link_class < 2) return 1;
  const std::int32_t size = grid_.dimension(static_cast<std::size_t>(link_class - 2)).size;
  return policy_ == Policy::minimal || size == 2 ? 1 : 2;
}

int HyperxRouting::distance(std::int32_t from, std::int32_t to) const {
  int differing = 0;
  for (std::size_t d = 0; d < grid_.dimensions(); ++d)
    differing += grid_.coordinate(from, d) != grid_.coordinate(to, d) ? 1 : 0;
  return differing;
}

// Dimension by dimension: all ordered pairs of nodes less those at the same coordinate.
Distances HyperxRouting::distances(const std::vector<std::int64_t>& nodes) const {
  Distances found;
  const std::int64_t all = std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0});
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    std::vector<std::int64_t> at(grid_.dimension(d).size);
    for (std::int32_t r = 0; r < grid_.num_routers(); ++r) at[grid_.coordinate(r, d)] += nodes[r];
    for (const std::int64_t here : at) found.sum += here * (all - here);
    ++found.diameter;
  }
  return found;
}

// The dimension that comes next at the earliest, and whether a detour along it is half done.
RouteState HyperxRouting::widened(const RouteState& state, std::int32_t /*router*/) const {
  RouteState wide;
  wide.to = anywhere;
  memory(wide).next = memory(state).next;
  memory(wide).taken = memory(state).taken;
  return wide;
}

void HyperxRouting::choices(const RouteState& state, std::int32_t router,
                            std::vector<Choice>& out) const {
  if (memory(state).taken > 0) return choose_along(router, memory(state).next, 1, false, out);
  for (std::size_t d = memory(state).next; d < grid_.dimensions(); ++d) {
    choose_along(router, d, 0, false, out);
    if (num_vcs(static_cast<int>(2 + d)) == 2) choose_along(router, d, 0, true, out);
  }
}

// All links along a dimension. `stays`: another hop along it follows.
void HyperxRouting::choose_along(std::int32_t router, std::size_t d, int taken, bool stays,
                                 std::vector<Choice>& out) const {
  RouteState after;
  after.to = anywhere;
  memory(after).next = static_cast<std::uint8_t>(stays ? d : d + 1);
  memory(after).taken = stays ? 1 : 0;
  const std::int32_t first = machine_.first_link[router] + grid_.dimension(d).first_link;
  const std::int32_t links = (grid_.dimension(d).size - 1) * grid_.dimension(d).cables;
  for (std::int32_t i = first; i < first + links; ++i) out.push_back({{i, taken}, after});
}

}  // namespace odonata
