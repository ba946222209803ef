#include "odonata/machine/families/torus/routing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace odonata {

namespace {

// Draws of a packet, or of a pair of nodes, along one dimension.
enum Draw : std::uint64_t { way_draw, cable_draw, draws_a_dimension };

struct RouteMemory {               // the family's part of a packet's state
  std::uint32_t pair;      // `hashed`: stands for its two nodes; `one-link`: for their routers
  std::uint8_t dimension;  // along which it came
  Heading heading;         // `none` at the start
  std::uint8_t past;       // 1: it won't take the link between the last coordinate and the first
  std::uint8_t reversals;  // turns back to an earlier dimension
};

RouteMemory& memory(RouteState& state) { return state.as<RouteMemory>(); }
const RouteMemory& memory(const RouteState& state) { return state.as<RouteMemory>(); }

std::int32_t draw(const Draws& draws, std::size_t d, Draw what, std::int32_t count) {
  return static_cast<std::int32_t>(
      draws.below(d * draws_a_dimension + what, static_cast<std::uint32_t>(count)));
}

}  // namespace

const std::vector<PolicyAbout>& torus_policies() {
  static const std::vector<PolicyAbout> policies{
      {.name = "dimension-order",
       .meaning = "A shortest route, dimension after dimension; each packet draws its cables",
       .oblivious = true,
       .aliases = {"minimal"}},
      {.name = "hashed", .meaning = "The same, with one route for all packets between two nodes"},
      {.name = "adaptive",
       .meaning = "A shortest route, at each router by the link with the fewest waiting bytes"},
      {.name = "one-link",
       .meaning = "The same, with one of parallel links for all packets between two routers"},
  };
  return policies;
}

TorusRouting::TorusRouting(const Machine& machine, const TorusTopology& topology,
                           const RoutingOptions& options)
    : TorusRouting(machine, topology, options,
                   static_cast<Policy>(policy_at(torus_policies(), options.policy))) {}

TorusRouting::TorusRouting(const Machine& machine, const TorusTopology& topology,
                           const RoutingOptions& options, Policy policy)
    : Routing(policy == Policy::adaptive || policy == Policy::one_link, false,
              policy == Policy::hashed || policy == Policy::one_link),
      machine_(machine),
      topology_(topology),
      lattice_(topology.lattice()),
      options_(options),
      policy_(policy),
      most_reversals_(policy == Policy::adaptive || policy == Policy::one_link
                          ? std::min(most_reversals, static_cast<int>(lattice_.dimensions()) - 1)
                          : 0) {}

void TorusRouting::note_ports(RouteState& state, std::int32_t from_port,
                              std::int32_t to_port) const {
  const bool by_router = policy_ == Policy::one_link;
  const std::int32_t from = by_router ? machine_.port_router[from_port] : from_port;
  const std::int32_t to = by_router ? machine_.port_router[to_port] : to_port;
  const std::uint64_t pair = static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
                             static_cast<std::uint32_t>(to);
  memory(state).pair =
      static_cast<std::uint32_t>(Draws(options_.seed, Purpose::route, pair).bits(0) >> 32);
}

Hop TorusRouting::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                       const Loads& loads) const {
  const bool adaptive = policy_ == Policy::adaptive || policy_ == Policy::one_link;
  const Move move =
      adaptive ? least_loaded(state, router, packet, loads) : in_order(state, router, packet);
  const std::size_t d = move.dimension;
  const bool past = past_dateline(d, move.heading, lattice_.coordinate(router, d),
                                  lattice_.coordinate(state.to, d));
  RouteMemory& here = memory(state);
  here.dimension = static_cast<std::uint8_t>(d);
  here.heading = move.heading;
  here.past = past ? 1 : 0;
  here.reversals = static_cast<std::uint8_t>(move.reversals);
  ++state.hops;
  return {move.link, vc(d, past, move.reversals)};
}

TorusRouting::Move TorusRouting::in_order(const RouteState& state, std::int32_t router,
                                          std::uint64_t packet) const {
  const std::size_t d = lattice_.first_difference(router, state.to, memory(state).dimension);
  const Draws draws(options_.seed, Purpose::route,
                    policy_ == Policy::hashed ? memory(state).pair : packet);
  Heading heading =
      lattice_.shorter(d, lattice_.coordinate(router, d), lattice_.coordinate(state.to, d));
  if (heading == Heading::none)
    heading = draw(draws, d, way_draw, 2) == 0 ? Heading::up : Heading::down;
  const std::int32_t cables = lattice_.dimension(d).cables;
  const std::int32_t cable = cables == 1 ? 0 : draw(draws, d, cable_draw, cables);
  return {d, heading, 0, link(router, d, heading) + cable};
}

// Without a cable or a way round to draw.
bool TorusRouting::has_one_choice(std::int32_t from, std::int32_t to) const {
  if (policy_ == Policy::hashed) return true;
  for (std::size_t d = lattice_.first_difference(from, to, 0); d < lattice_.dimensions();
       d = lattice_.first_difference(from, to, d + 1))
    if (lattice_.dimension(d).cables > 1 ||
        lattice_.shorter(d, lattice_.coordinate(from, d), lattice_.coordinate(to, d)) ==
            Heading::none)
      return false;
  return true;
}

// The first cable along a dimension that a packet may take, and the number behind the last.
std::pair<std::int32_t, std::int32_t> TorusRouting::cables(const RouteState& state,
                                                           std::size_t d) const {
  const std::int32_t count = lattice_.dimension(d).cables;
  if (policy_ != Policy::one_link || count == 1) return {0, count};
  const Draws draws(options_.seed, Purpose::route, memory(state).pair);
  const std::int32_t cable = draw(draws, d, cable_draw, count);
  return {cable, cable + 1};
}

// Every move that brings the packet nearer, except those after which it could no longer go in order
// although it must. They come in order of dimensions, up before down, by cables; `one-link` has one
// cable along each dimension.
template <class Act>
void TorusRouting::each_move(const RouteState& state, std::int32_t router, const Act& act) const {
  const std::size_t first = lattice_.first_difference(router, state.to, 0);
  for (std::size_t d = first; d < lattice_.dimensions();
       d = lattice_.first_difference(router, state.to, d + 1)) {
    const int reversals = memory(state).reversals + (d < memory(state).dimension ? 1 : 0);
    if (reversals > most_reversals_ || (reversals == most_reversals_ && d > first)) continue;
    const Heading shorter =
        lattice_.shorter(d, lattice_.coordinate(router, d), lattice_.coordinate(state.to, d));
    const auto [cable, end] = cables(state, d);
    for (const Heading heading : {Heading::up, Heading::down})
      for (std::int32_t i = cable; i < end; ++i)
        if (shorter == heading || shorter == Heading::none)
          act(Move{d, heading, reversals, link(router, d, heading) + i});
  }
}

// The move with the fewest bytes waiting for it, a reversal having `bias_bytes` more. Of equals, a
// move straight on wins over a reversal, and the packet draws one of the rest.
TorusRouting::Move TorusRouting::least_loaded(const RouteState& state, std::int32_t router,
                                              std::uint64_t packet, const Loads& loads) const {
  const auto cost = [&](const Move& move) {
    const bool turns_back = move.reversals > memory(state).reversals;
    return std::pair(loads.waiting_bytes(move.link) + (turns_back ? options_.bias_bytes : 0),
                     turns_back);
  };
  Move best{};
  auto least = std::pair(std::numeric_limits<std::int64_t>::max(), true);
  std::uint32_t equals = 0;
  each_move(state, router, [&](const Move& move) {
    const auto now = cost(move);
    if (now > least) return;
    equals = now == least ? equals + 1 : 1;
    if (equals > 1) return;
    least = now;
    best = move;
  });
  if (equals == 1) return best;
  const Draws draws(options_.seed, Purpose::route, packet);
  std::uint32_t before = draws.below(state.hops, equals);
  each_move(state, router, [&](const Move& move) {
    if (cost(move) == least && before-- == 0) best = move;
  });
  return best;
}

bool TorusRouting::past_dateline(std::size_t d, Heading heading, std::int32_t here,
                                 std::int32_t goal) const {
  return lattice_.circular(d) && (heading == Heading::up ? goal > here : goal < here);
}

int TorusRouting::vc(std::size_t d, bool past, int reversals) const {
  return lattice_.circular(d) ? 2 * reversals + (past ? 1 : 0) : reversals;
}

int TorusRouting::num_vcs(int link_class) const {
  if (link_class < 2) return 1;
  return (most_reversals_ + 1) * (lattice_.circular(topology_.dimension_of(link_class)) ? 2 : 1);
}

int TorusRouting::distance(std::int32_t from, std::int32_t to) const {
  int hops = 0;
  for (std::size_t d = 0; d < lattice_.dimensions(); ++d)
    hops += lattice_.distance(d, lattice_.coordinate(from, d), lattice_.coordinate(to, d));
  return hops;
}

// Dimension by dimension: all ordered pairs of nodes by their coordinates.
Distances TorusRouting::distances(const std::vector<std::int64_t>& nodes) const {
  Distances found;
  for (std::size_t d = 0; d < lattice_.dimensions(); ++d) {
    const std::int32_t size = lattice_.dimension(d).size;
    std::vector<std::int64_t> at(size);
    for (std::int32_t r = 0; r < lattice_.num_routers(); ++r)
      at[lattice_.coordinate(r, d)] += nodes[r];
    for (std::int32_t from = 0; from < size; ++from)
      for (std::int32_t to = 0; to < size; ++to)
        found.sum += at[from] * at[to] * lattice_.distance(d, from, to);
    found.diameter += lattice_.dimension(d).wraps ? size / 2 : size - 1;
  }
  return found;
}

// Everything but the two ends.
RouteState TorusRouting::widened(const RouteState& state, std::int32_t /*router*/) const {
  RouteState wide;
  wide.to = anywhere;
  memory(wide) = memory(state);
  memory(wide).pair = 0;
  return wide;
}

void TorusRouting::choices(const RouteState& state, std::int32_t router,
                           std::vector<Choice>& out) const {
  const RouteMemory& here = memory(state);
  for (std::size_t d = 0; d < lattice_.dimensions(); ++d)
    if (here.heading == Heading::none || d != here.dimension) choose_turns(state, router, d, out);
  if (here.heading == Heading::none) return;
  // Straight on: past the dateline with the link between the last coordinate and the first.
  const std::size_t d = here.dimension;
  const std::int32_t start = here.heading == Heading::up ? 0 : lattice_.dimension(d).size - 1;
  const bool crossed = lattice_.circular(d) && lattice_.coordinate(router, d) == start;
  if (lattice_.dimension(d).wraps && !lattice_.circular(d)) return;  // one hop was the whole way
  choose_along(router, d, here.heading, here.past != 0 || crossed, here.reversals, out);
}

// To a dimension in which the packet has not been, or not since it last turned back.
void TorusRouting::choose_turns(const RouteState& state, std::int32_t router, std::size_t d,
                                std::vector<Choice>& out) const {
  const int reversals = memory(state).reversals + (d < memory(state).dimension ? 1 : 0);
  if (reversals > most_reversals_) return;
  for (const Heading heading : {Heading::up, Heading::down}) {
    choose_along(router, d, heading, false, reversals, out);
    if (lattice_.circular(d)) choose_along(router, d, heading, true, reversals, out);
  }
}

// All cables to a neighbour, if there is one and packets go there: who is past the dateline doesn't
// cross it, and from the first coordinate behind it no packet goes all the way round.
void TorusRouting::choose_along(std::int32_t router, std::size_t d, Heading heading, bool past,
                                int reversals, std::vector<Choice>& out) const {
  const std::int32_t last = lattice_.dimension(d).size - 1;
  const std::int32_t barred = past == (heading == Heading::up) ? last : 0;
  if (!lattice_.has(router, d, heading)) return;
  if (lattice_.circular(d) && lattice_.coordinate(router, d) == barred) return;
  RouteState after;
  after.to = anywhere;
  memory(after) = {0, static_cast<std::uint8_t>(d), heading,
                   static_cast<std::uint8_t>(past ? 1 : 0), static_cast<std::uint8_t>(reversals)};
  const std::int32_t first = link(router, d, heading);
  for (std::int32_t i = first; i < first + lattice_.dimension(d).cables; ++i)
    out.push_back({{i, vc(d, past, reversals)}, after});
}

}  // namespace odonata
