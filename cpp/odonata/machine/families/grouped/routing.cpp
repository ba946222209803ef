#include "odonata/machine/families/grouped/routing.hpp"

#include <algorithm>

#include "odonata/machine/families/basics.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

static_assert(most_groups <= 1 << 16);

std::uint64_t counter(const RouteState& state, GroupDraw what) {
  return state.hops * draws_a_hop + what;
}

std::uint32_t pick(std::uint64_t bits, std::size_t count) {
  return static_cast<std::uint32_t>(((bits >> 32) * count) >> 32);
}

}  // namespace

GroupRouting::GroupRouting(const Machine& machine, const Groups& groups,
                           const RoutingOptions& options)
    : Routing(is_adaptive(policy_named(options.policy)),
              policy_named(options.policy) == Policy::valiant && groups.groups > 1),
      machine_(machine),
      options_(options),
      policy_(policy_named(options.policy)),
      shape_(groups),
      groups_(groups.groups),
      span_(groups.rows > 1 && groups.columns > 1 ? 2 : 1),
      first_span_(policy_ == Policy::par ? 2 * span_ : span_),
      gateways_(machine, groups_, [each = groups.routers_per_group()](std::int32_t router) {
        return router / each;
      }) {
  const int per_group = shape_.routers_per_group();
  for (std::int32_t r = 0; r < machine.num_routers(); ++r)
    places_.push_back(
        {r / per_group, r % per_group / shape_.columns, r % shape_.columns, machine.first_link[r]});
  places_.push_back({0, 0, 0, machine.first_link.back()});
  leads_out_.assign(machine.classes.size(), false);
  for (const Gateway& gateway : gateways_.all()) leads_out_[link(gateway.link).link_class] = true;
}

Hop GroupRouting::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                       const Loads& loads) const {
  const std::int32_t here = place(router).group;
  if (!state.decided) decide(state, router, packet, loads);
  if (state.detours && memory(state).middle == here && memory(state).globals > 0)
    state.detours = false;
  const std::int32_t there = state.detours ? memory(state).middle : place(state.to).group;
  if (there == here) return take_local(state, toward(state.to, state, router, packet));
  std::int32_t exit = -1;
  if (memory(state).gateway == no_gateway) {
    const Gateway gateway = exit_to(there, state, router, packet);
    memory(state).gateway = gateway.link;
    exit = gateway.router;
  }
  if (has_link(router, memory(state).gateway)) return take_global(state);
  if (exit < 0) exit = link(memory(state).gateway).from;
  return take_local(state, toward(exit, state, router, packet));
}

// A global link to the next group: on a shortest route, or any if that group is in the middle.
Gateway GroupRouting::exit_to(std::int32_t group, const RouteState& state, std::int32_t router,
                              std::uint64_t packet) const {
  const auto all = gateways(place(router).group, group);
  if (all.size() == 1) return all.front();
  const Draws draws(options_.seed, Purpose::route, packet);
  if (state.detours) return all[pick(draws.bits(counter(state, detour_draw)), all.size())];
  return minimal_gateway(router, state.to, draws.bits(counter(state, minimal_draw)));
}

// The next link inside the group; drawn only where there is a choice.
std::int32_t GroupRouting::toward(std::int32_t goal, const RouteState& state, std::int32_t router,
                                  std::uint64_t packet) const {
  if (place(router).row == place(goal).row) return local_link(router, goal, 0);
  const Draws draws(options_.seed, Purpose::route, packet);
  return local_link(router, goal, draws.bits(counter(state, local_draw)));
}

// Minimal or through a third group: once at the source, under PAR again at every router of the
// source group while the route is still minimal.
void GroupRouting::decide(RouteState& state, std::int32_t router, std::uint64_t packet,
                          const Loads& loads) const {
  if (policy_ != Policy::par || memory(state).globals > 0) state.decided = true;
  if (policy_ == Policy::minimal || memory(state).globals > 0) return;
  const Draws draws(options_.seed, Purpose::route, packet);
  const std::int32_t here = place(router).group, there = place(state.to).group;
  const std::int32_t middle = draw_middle(here, there, draws, counter(state, middle_draw));
  if (middle < 0) {
    state.decided = true;
    return;
  }
  if (policy_ == Policy::valiant) {
    state.detours = true;
    memory(state).middle = static_cast<std::uint16_t>(middle);
    return;
  }
  const Plan minimal = plan_minimal(state, router, draws);
  const Plan detour = plan_middle(state, router, middle, draws);
  if (waiting(minimal, loads) * minimal.hops <=
      waiting(detour, loads) * detour.hops + options_.bias_bytes) {
    memory(state).gateway = minimal.gateway;
    return;
  }
  state.decided = state.detours = true;
  memory(state).middle = static_cast<std::uint16_t>(middle);
  memory(state).gateway = detour.gateway;
}

// A group that is neither here nor there, or -1.
std::int32_t GroupRouting::draw_middle(std::int32_t here, std::int32_t there, const Draws& draws,
                                       std::uint64_t count) const {
  const int excluded = here == there ? 1 : 2;
  if (groups_ <= excluded) return -1;
  auto middle =
      static_cast<std::int32_t>(draws.below(count, static_cast<std::uint32_t>(groups_ - excluded)));
  if (middle >= std::min(here, there)) ++middle;
  if (here != there && middle >= std::max(here, there)) ++middle;
  return middle;
}

GroupRouting::Plan GroupRouting::plan_minimal(const RouteState& state, std::int32_t router,
                                              const Draws& draws) const {
  const std::uint64_t local = draws.bits(counter(state, local_draw));
  if (place(router).group == place(state.to).group)
    return {no_gateway, local_link(router, state.to, local), local_distance(router, state.to)};
  const Gateway gateway =
      memory(state).gateway == no_gateway
          ? minimal_gateway(router, state.to, draws.bits(counter(state, minimal_draw)))
          : Gateway{memory(state).gateway, link(memory(state).gateway).from};
  return {gateway.link,
          gateway.router == router ? gateway.link : local_link(router, gateway.router, local),
          gateway_cost(router, gateway, state.to)};
}

GroupRouting::Plan GroupRouting::plan_middle(const RouteState& state, std::int32_t router,
                                             std::int32_t middle, const Draws& draws) const {
  const auto all = gateways(place(router).group, middle);
  const Gateway gateway = all[pick(draws.bits(counter(state, detour_draw)), all.size())];
  const std::uint64_t local = draws.bits(counter(state, local_draw));
  return {gateway.link,
          gateway.router == router ? gateway.link : local_link(router, gateway.router, local),
          local_distance(router, gateway.router) + 1 + distance(link(gateway.link).to, state.to)};
}

// UGAL-L and PAR see the queue at hand; UGAL-G also the queue at the global link.
std::int64_t GroupRouting::waiting(const Plan& plan, const Loads& loads) const {
  const std::int64_t here = loads.waiting_bytes(plan.link);
  if (policy_ != Policy::ugal_g || plan.gateway == no_gateway || plan.gateway == plan.link)
    return here;
  return here + loads.waiting_bytes(plan.gateway);
}

int GroupRouting::gateway_cost(std::int32_t router, const Gateway& gateway, std::int32_t to) const {
  return local_distance(router, gateway.router) + 1 + local_distance(link(gateway.link).to, to);
}

// One of the global links on a shortest route, all equally likely.
Gateway GroupRouting::minimal_gateway(std::int32_t router, std::int32_t to,
                                      std::uint64_t bits) const {
  const auto all = gateways(place(router).group, place(to).group);
  if (all.size() == 1) return all.front();
  int best = 1 << 20;
  std::size_t count = 0;
  for (const Gateway& gateway : all) {
    const int cost = gateway_cost(router, gateway, to);
    if (cost < best) best = cost, count = 0;
    if (cost == best) ++count;
  }
  std::size_t chosen = pick(bits, count);
  for (const Gateway& gateway : all)
    if (gateway_cost(router, gateway, to) == best && chosen-- == 0) return gateway;
  throw InternalError("routing: no gateway between two groups");
}

int GroupRouting::local_distance(std::int32_t a, std::int32_t b) const {
  if (a == b) return 0;
  const Place& from = place(a);
  const Place& to = place(b);
  return (from.row != to.row ? 1 : 0) + (from.column != to.column ? 1 : 0);
}

// First link of a shortest route inside the group; `bits` choose among turns and cables.
std::int32_t GroupRouting::local_link(std::int32_t router, std::int32_t to,
                                      std::uint64_t bits) const {
  const Place& from = place(router);
  const Place& goal = place(to);
  const bool turn = from.row != goal.row && from.column != goal.column;
  if (from.row == goal.row || (turn && (bits & 1) == 0))
    return from.first_link + goal.column - (goal.column > from.column ? 1 : 0);
  const int cables = shape_.column_links;
  const int other = goal.row - (goal.row > from.row ? 1 : 0);
  return from.first_link + shape_.columns - 1 + other * cables +
         static_cast<std::int32_t>(pick(bits, static_cast<std::size_t>(cables)));
}

// Not where there is a turn or a cable to choose,
bool GroupRouting::has_one_local_route(std::int32_t from, std::int32_t to) const {
  const Place &a = place(from), &b = place(to);
  return a.row == b.row || (a.column == b.column && shape_.column_links == 1);
}

// and not where there are several gateways: to find the nearest one would take as long as routing.
bool GroupRouting::has_one_choice(std::int32_t from, std::int32_t to) const {
  if (policy_ != Policy::minimal) return false;
  const std::int32_t here = place(from).group, there = place(to).group;
  if (here == there) return has_one_local_route(from, to);
  const auto all = gateways(here, there);
  return all.size() == 1 && has_one_local_route(from, all.front().router) &&
         has_one_local_route(link(all.front().link).to, to);
}

int GroupRouting::local_vc(const RouteState& state) const {
  if (memory(state).globals == 0) return memory(state).locals;
  return first_span_ + (memory(state).globals - 1) * span_ + memory(state).locals;
}

Hop GroupRouting::take_local(RouteState& state, std::int32_t link) const {
  const Hop hop{link, local_vc(state)};
  ++memory(state).locals;
  ++state.hops;
  return hop;
}

int GroupRouting::num_vcs(int link_class) const {
  const bool detours = most_globals() == 2;  // with two groups, traffic inside one may leave it
  if (leads_out_[link_class]) return detours ? 2 : 1;
  if (groups_ == 1) return first_span_;
  return first_span_ + (detours ? 2 : 1) * span_;
}

int GroupRouting::distance(std::int32_t from, std::int32_t to) const {
  if (place(from).group == place(to).group) return local_distance(from, to);
  int best = 1 << 20;
  for (const Gateway& gateway : gateways(place(from).group, place(to).group))
    best = std::min(best, gateway_cost(from, gateway, to));
  return best;
}

Distances GroupRouting::distances(const std::vector<std::int64_t>& nodes) const {
  Distances found;
  const int per_group = shape_.routers_per_group();
  for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
    for (std::int32_t b = a / per_group * per_group; b < (a / per_group + 1) * per_group; ++b)
      found.add(local_distance(a, b), nodes[a] * nodes[b]);
  for (int from = 0; from < groups_; ++from)
    for (int to = 0; to < groups_; ++to)
      if (from != to) add_between(from, to, nodes, found);
  return found;
}

// The routers of a group, those with the same local distances to all `others` as one.
std::vector<GroupRouting::Alike> GroupRouting::alike(std::int32_t group,
                                                     const std::vector<std::int32_t>& others,
                                                     const std::vector<std::int64_t>& nodes) const {
  std::vector<Alike> found;
  std::vector<std::uint8_t> away(others.size());
  const int per_group = shape_.routers_per_group();
  for (std::int32_t r = group * per_group; r < (group + 1) * per_group; ++r) {
    for (std::size_t i = 0; i < others.size(); ++i)
      away[i] = static_cast<std::uint8_t>(local_distance(r, others[i]));
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const Alike& known) { return known.away == away; });
    if (same != found.end())
      same->nodes += nodes[r];
    else
      found.push_back({away, nodes[r]});
  }
  return found;
}

void GroupRouting::add_between(int from_group, int to_group, const std::vector<std::int64_t>& nodes,
                               Distances& found) const {
  std::vector<std::int32_t> exits, entries;
  for (const Gateway& gateway : gateways(from_group, to_group)) {
    exits.push_back(gateway.router);
    entries.push_back(link(gateway.link).to);
  }
  const std::vector<Alike> sources = alike(from_group, exits, nodes);
  const std::vector<Alike> targets = alike(to_group, entries, nodes);
  for (const Alike& a : sources)
    for (const Alike& b : targets) {
      int best = 1 << 20;
      for (std::size_t i = 0; i < exits.size(); ++i) best = std::min(best, a.away[i] + b.away[i]);
      found.add(best + 1, a.nodes * b.nodes);
    }
}

// The state of routing up to the next global link is the router to reach in this group. The
// gateway stands for its router, since a wider packet may take any global link there.
RouteState GroupRouting::widened(const RouteState& state, std::int32_t router) const {
  RouteState wide;
  wide.to = anywhere;
  memory(wide).globals = memory(state).globals;
  memory(wide).locals = memory(state).locals;
  wide.decided = state.decided || memory(state).globals > 0;
  if (!wide.decided) return wide;
  if (memory(state).gateway != no_gateway)
    memory(wide).gateway = first_gateway(link(memory(state).gateway).from);
  else if (!state.detours && state.to != anywhere && memory(state).locals > 0 &&
           place(state.to).group == place(router).group)
    wide.to = state.to;
  return wide;
}

void GroupRouting::choices(const RouteState& state, std::int32_t router,
                           std::vector<Choice>& out) const {
  const RouteState wide = widened(state, router);
  if (memory(wide).gateway != no_gateway)
    choose_exits(wide, router, out);
  else if (wide.to != anywhere)
    choose_local(wide, router, wide.to, out);
  else
    choose_start(wide, router, out);
}

// To the router of the gateway, and there by any global link.
void GroupRouting::choose_exits(RouteState state, std::int32_t router,
                                std::vector<Choice>& out) const {
  const std::int32_t exit = link(memory(state).gateway).from;
  if (exit != router) return choose_local(state, router, exit, out);
  const auto r = static_cast<std::size_t>(router);
  for (std::int32_t i = memory(state).gateway; i < machine_.first_link[r + 1]; ++i) {
    RouteState after = state;
    memory(after).gateway = i;
    const Hop hop = take_global(after);
    out.push_back({hop, widened(after, link(i).to)});
  }
}

// The first links of all shortest routes inside the group.
void GroupRouting::choose_local(RouteState state, std::int32_t router, std::int32_t to,
                                std::vector<Choice>& out) const {
  if (router == to) return;
  const Place &from = place(router), &goal = place(to);
  const auto add = [&](std::int32_t number) {
    RouteState after = state;
    const Hop hop = take_local(after, number);
    after.hops = 0;
    out.push_back({hop, after});
  };
  if (from.column != goal.column)
    add(from.first_link + goal.column - (goal.column > from.column ? 1 : 0));
  if (from.row == goal.row) return;
  const int other = goal.row - (goal.row > from.row ? 1 : 0);
  for (int cable = 0; cable < shape_.column_links; ++cable)
    add(from.first_link + shape_.columns - 1 + other * shape_.column_links + cable);
}

// At the source or fresh from a global link: to any router of the group, or out of it again. An
// undecided packet (PAR) may change its mind as long as its minimal route stays in the group.
void GroupRouting::choose_start(const RouteState& state, std::int32_t router,
                                std::vector<Choice>& out) const {
  RouteState after = state;
  after.decided = true;
  const int per_group = shape_.routers_per_group();
  const std::int32_t first = place(router).group * per_group;
  for (std::int32_t r = first; r < first + per_group; ++r) {
    after.to = r;
    memory(after).gateway = no_gateway;
    choose_local(after, router, r, out);
    after.to = anywhere;
    memory(after).gateway = first_gateway(r);
    if (memory(after).gateway != no_gateway && memory(state).globals < most_globals())
      choose_exits(after, router, out);
    const bool open = policy_ == Policy::par && !state.decided && memory(state).locals < span_;
    if (open && local_distance(router, r) == 1) choose_local(state, router, r, out);
  }
}

// The first global link that leaves a router.
std::int32_t GroupRouting::first_gateway(std::int32_t router) const {
  const auto r = static_cast<std::size_t>(router);
  const std::int32_t first =
      place(router).first_link + shape_.columns - 1 + (shape_.rows - 1) * shape_.column_links;
  return first < machine_.first_link[r + 1] ? first : no_gateway;
}

}  // namespace odonata
