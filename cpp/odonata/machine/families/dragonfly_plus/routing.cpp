#include "odonata/machine/families/dragonfly_plus/routing.hpp"

#include <algorithm>
#include <utility>

#include "odonata/machine/families/basics.hpp"

namespace odonata {

namespace {

static_assert(most_groups <= 1 << 16);

std::int32_t draw(const Draws& draws, const RouteState& state, GroupDraw what, std::size_t count) {
  return static_cast<std::int32_t>(
      draws.below(state.hops * draws_a_hop + what, static_cast<std::uint32_t>(count)));
}

}  // namespace

CellRouting::CellRouting(const Machine& machine, Cells cells, const RoutingOptions& options)
    : Routing(is_adaptive(policy_named(options.policy)), false),
      machine_(machine),
      cells_(std::move(cells)),
      options_(options),
      policy_(policy_named(options.policy)),
      gateways_(machine, cells_.num_cells(),
                [this](std::int32_t router) { return cells_.cell(router); }) {}

std::span<const Gateway> CellRouting::gateways(std::int32_t router, std::int32_t cell) const {
  const std::span<const Gateway> all = gateways_.between(cells_.cell(router), cell);
  if (!cells_.place(router).spine) return all;
  const auto is_own = [router](const Gateway& gateway) { return gateway.router == router; };
  const auto first = std::find_if(all.begin(), all.end(), is_own);
  const auto end = std::find_if_not(first, all.end(), is_own);
  return first == end ? all : std::span<const Gateway>(first, end);
}

Hop CellRouting::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                      const Loads& loads) const {
  if (!state.decided) decide(state, router, packet, loads);
  const std::int32_t here = cells_.cell(router);
  if (state.detours && memory(state).globals > 0 && memory(state).middle == here)
    state.detours = false;
  const std::int32_t there = state.detours ? memory(state).middle : cells_.cell(state.to);
  const Draws draws(options_.seed, Purpose::route, packet);
  if (there == here) return take_local(state, toward(state.to, state, router, draws));
  if (memory(state).gateway == no_gateway) {
    const auto all = gateways(router, there);
    const GroupDraw which = state.detours ? detour_draw : minimal_draw;
    memory(state).gateway = all[draw(draws, state, which, all.size())].link;
  }
  const std::int32_t exit = machine_.links[memory(state).gateway].from;
  if (exit == router) return take_global(state);
  return take_local(state, toward(exit, state, router, draws));
}

// Minimal or through a third cell: at the source's leaf, under PAR at its spine once more.
void CellRouting::decide(RouteState& state, std::int32_t router, std::uint64_t packet,
                         const Loads& loads) const {
  const std::int32_t here = cells_.cell(router), there = cells_.cell(state.to);
  const bool stays = policy_ == Policy::minimal || here == there || cells_.num_cells() == 2;
  state.decided = stays || policy_ != Policy::par || cells_.place(router).spine;
  if (stays) return;
  const Draws draws(options_.seed, Purpose::route, packet);
  const std::int32_t middle = draw_middle(here, there, state, draws);
  const auto all = gateways(router, middle);
  const Gateway exit = all[draw(draws, state, detour_draw, all.size())];
  if (policy_ != Policy::valiant && prefers_minimal(state, router, exit, draws, loads)) return;
  state.decided = state.detours = true;
  memory(state).middle = static_cast<std::uint16_t>(middle);
  memory(state).gateway = exit.link;
}

// Chooses the minimal global link, unless it is chosen, and weighs it against the link of a detour.
// A spine has no way back down.
bool CellRouting::prefers_minimal(RouteState& state, std::int32_t router, const Gateway& exit,
                                  const Draws& draws, const Loads& loads) const {
  if (memory(state).gateway == no_gateway) {
    const auto all = gateways(router, cells_.cell(state.to));
    memory(state).gateway = all[draw(draws, state, minimal_draw, all.size())].link;
  }
  if (cells_.place(router).spine && exit.router != router) return true;
  const Gateway minimal{memory(state).gateway, machine_.links[memory(state).gateway].from};
  return cost(plan(state, router, minimal, draws), loads) <=
         cost(plan(state, router, exit, draws), loads) + options_.bias_bytes;
}

// A cell that is neither here nor there.
std::int32_t CellRouting::draw_middle(std::int32_t here, std::int32_t there,
                                      const RouteState& state, const Draws& draws) const {
  std::int32_t middle =
      draw(draws, state, middle_draw, static_cast<std::size_t>(cells_.num_cells() - 2));
  if (middle >= std::min(here, there)) ++middle;
  if (middle >= std::max(here, there)) ++middle;
  return middle;
}

CellRouting::Plan CellRouting::plan(const RouteState& state, std::int32_t router,
                                    const Gateway& gateway, const Draws& draws) const {
  const bool leaves = gateway.router == router;
  return {gateway, leaves ? gateway.link : toward(gateway.router, state, router, draws),
          cells_.local_distance(router, gateway.router) + 1 +
              distance(machine_.links[gateway.link].to, state.to)};
}

// Bytes that wait, times hops.
std::int64_t CellRouting::cost(const Plan& plan, const Loads& loads) const {
  std::int64_t waiting = loads.waiting_bytes(plan.link);
  if (policy_ == Policy::ugal_g && plan.gateway.link != plan.link)
    waiting += loads.waiting_bytes(plan.gateway.link);
  return waiting * plan.hops;
}

// The next link inside the cell: between leaf and spine by any cable, else by any way.
std::int32_t CellRouting::toward(std::int32_t goal, const RouteState& state, std::int32_t router,
                                 const Draws& draws) const {
  const Cells::Place& at = cells_.place(goal);
  const std::int32_t first = machine_.first_link[router];
  if (at.spine == cells_.place(router).spine)
    return first +
           draw(draws, state, local_draw, static_cast<std::size_t>(cells_.local_links(router)));
  const std::int32_t cables = cells_.cables();
  const std::int32_t number = at.spine ? cells_.spine_number(goal) : at.index;
  const std::int32_t cable =
      cables == 1 ? 0 : draw(draws, state, local_draw, static_cast<std::size_t>(cables));
  return first + number * cables + cable;
}

bool CellRouting::has_one_choice(std::int32_t from, std::int32_t to) const {
  if (policy_ != Policy::minimal || cells_.cables() > 1) return false;
  if (cells_.cell(from) == cells_.cell(to)) return cells_.spines() == 1;
  return gateways(from, cells_.cell(to)).size() == 1;
}

Hop CellRouting::take_local(RouteState& state, std::int32_t link) const {
  ++memory(state).locals;
  ++state.hops;
  const bool down = cells_.place(machine_.links[link].from).spine;
  return {link, down ? std::max<int>(memory(state).globals, 1) - 1 : memory(state).globals};
}

int CellRouting::num_vcs(int /*link_class*/) const { return std::max(most_globals(), 1); }

int CellRouting::distance(std::int32_t from, std::int32_t to) const {
  if (cells_.cell(from) == cells_.cell(to)) return cells_.local_distance(from, to);
  if (!cells_.place(from).spine && !cells_.place(to).spine) return 3;
  int best = 1 << 20;
  for (const Gateway& gateway : gateways_.between(cells_.cell(from), cells_.cell(to)))
    best = std::min(best, cells_.local_distance(from, gateway.router) + 1 +
                              cells_.local_distance(machine_.links[gateway.link].to, to));
  return best;
}

// Only the numbers of links taken between cells and in this cell count.
RouteState CellRouting::widened(const RouteState& state, std::int32_t /*router*/) const {
  RouteState wide;
  wide.to = anywhere;
  memory(wide).globals = memory(state).globals;
  memory(wide).locals = memory(state).locals;
  return wide;
}

// From a leaf up at the start and in the middle of a detour; from a spine down once, or out.
void CellRouting::choices(const RouteState& state, std::int32_t router,
                          std::vector<Choice>& out) const {
  const bool spine = cells_.place(router).spine;
  const int globals = memory(state).globals, locals = memory(state).locals;
  const bool passes = globals == 1 && most_globals() == 2;
  const bool moves =
      spine ? locals == (globals == 0 ? 1 : 0) : globals + locals == 0 || (passes && locals == 1);
  const std::int32_t first = machine_.first_link[router];
  const std::int32_t global = first + cells_.local_links(router);
  for (std::int32_t i = first; moves && i < global; ++i) {
    RouteState after = state;
    const Hop hop = take_local(after, i);
    out.push_back({hop, widened(after, machine_.links[i].to)});
  }
  for (std::int32_t i = global; globals < most_globals() && i < machine_.first_link[router + 1];
       ++i) {
    RouteState after = state;
    memory(after).gateway = i;
    const Hop hop = take_global(after);
    out.push_back({hop, widened(after, machine_.links[i].to)});
  }
}

}  // namespace odonata
