#include "odonata/machine/families/fat_tree/routing.hpp"

#include <numeric>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

struct RouteMemory {             // the family's part of a packet's state
  std::int32_t node;     // whose ports it takes: its destination or its source
  std::uint8_t turned;   // it is on its way down
  std::uint8_t unused[3];
};

}  // namespace

const std::vector<PolicyAbout>& fat_tree_policies() {
  static const std::vector<PolicyAbout> policies{
      {.name = "d-mod-k",
       .meaning = "Up by the port that belongs to the destination node",
       .oblivious = true,
       .aliases = {"minimal"}},
      {.name = "s-mod-k",
       .meaning = "Up by the port that belongs to the source node",
       .oblivious = true},
      {.name = "random", .meaning = "Up by any port, drawn for each packet", .oblivious = true},
      {.name = "adaptive", .meaning = "Up by a port for which the fewest bytes wait"},
  };
  return policies;
}

FatTreeRouting::FatTreeRouting(const Machine& machine, Tree tree, const RoutingOptions& options)
    : Routing(up_named(options.policy) == Up::adaptive, false,
              up_named(options.policy) <= Up::s_mod_k),
      machine_(machine),
      tree_(std::move(tree)),
      options_(options),
      up_(up_named(options.policy)),
      by_node_(up_ <= Up::s_mod_k) {
  for (std::size_t t = 0; t < tree_.num_tiers(); ++t)
    single_cables_ = single_cables_ && tree_.tier(t).cables == 1;
  for (std::int32_t r = 0; r < tree_.num_routers(); ++r)
    places_.push_back({machine_.first_link[r], tree_.lowest_below(r),
                       static_cast<std::int32_t>(tree_.tier_of(r))});
}

void FatTreeRouting::note_ports(RouteState& state, std::int32_t from_port,
                                std::int32_t to_port) const {
  state.as<RouteMemory>().node = up_ == Up::s_mod_k ? from_port : to_port;
}

Hop FatTreeRouting::next(RouteState& state, std::int32_t router, std::uint64_t packet,
                         const Loads& loads) const {
  const Place& place = places_[router];
  const bool down = is_above(place, state.to);
  const std::int32_t link =
      down ? descend(place, state, packet, loads) : climb(place, state, packet, loads);
  state.as<RouteMemory>().turned = down ? 1 : 0;
  ++state.hops;
  // The rest of the way is one link after the other once the packet is above its destination.
  if (up_ == Up::adaptive && single_cables_ && !state.decided)
    state.decided = is_above(places_[machine_.links[link].to], state.to);
  return {link, 0};
}

std::int32_t FatTreeRouting::climb(const Place& place, const RouteState& state,
                                   std::uint64_t packet, const Loads& loads) const {
  const auto t = static_cast<std::size_t>(place.tier);
  if (t + 1 == tree_.num_tiers())
    throw InternalError("fat-tree: no way to router " + std::to_string(state.to) +
                        ", which has no nodes");
  if (by_node_) return place.first_link + tree_.port_for(t, state.as<RouteMemory>().node);
  return one_of(place.first_link, tree_.tier(t).ports(), state, packet, loads);
}

std::int32_t FatTreeRouting::descend(const Place& place, const RouteState& state,
                                     std::uint64_t packet, const Loads& loads) const {
  const auto t = static_cast<std::size_t>(place.tier);
  const Tree::Tier& below = tree_.tier(t - 1);
  const std::int32_t child = (state.to - place.lowest) / below.below;
  const std::int32_t first = place.first_link + tree_.link_down(t, child);
  if (below.cables == 1) return first;
  if (by_node_) return first + tree_.port_for(t - 1, state.as<RouteMemory>().node) / below.parents;
  return one_of(first, below.cables, state, packet, loads);
}

// Any of some links, or one for which the fewest bytes wait, where chance decides between equals.
std::int32_t FatTreeRouting::one_of(std::int32_t first, std::int32_t count, const RouteState& state,
                                    std::uint64_t packet, const Loads& loads) const {
  const Draws draws(options_.seed, Purpose::route, packet);
  const auto start =
      static_cast<std::int32_t>(draws.below(state.hops, static_cast<std::uint32_t>(count)));
  std::int32_t best = first + start;
  if (up_ != Up::adaptive) return best;
  std::int64_t least = loads.waiting_bytes(best);
  for (std::int32_t i = 1; i < count && least > 0; ++i) {
    const std::int32_t link = first + (start + i) % count;
    const std::int64_t waiting = loads.waiting_bytes(link);
    if (waiting < least) least = waiting, best = link;
  }
  return best;
}

// Tier by tier: two links more for all pairs of nodes that are in different pods.
Distances FatTreeRouting::distances(const std::vector<std::int64_t>& nodes) const {
  Distances found;
  found.diameter = tree_.diameter();
  const std::int64_t all = std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0});
  for (std::size_t t = 0; t + 1 < tree_.num_tiers(); ++t) {
    std::vector<std::int64_t> in_pod(tree_.tier(t).pods);
    for (std::int32_t r = 0; r < tree_.tier(0).pods; ++r)
      in_pod[r / tree_.tier(t).below] += nodes[r];
    for (const std::int64_t here : in_pod) found.sum += 2 * here * (all - here);
  }
  return found;
}

// Up or down is all that counts.
RouteState FatTreeRouting::widened(const RouteState& state, std::int32_t /*router*/) const {
  RouteState wide;
  wide.to = anywhere;
  wide.as<RouteMemory>().turned = state.as<RouteMemory>().turned;
  return wide;
}

void FatTreeRouting::choices(const RouteState& state, std::int32_t router,
                             std::vector<Choice>& out) const {
  const std::int32_t first = machine_.first_link[router], last = machine_.first_link[router + 1];
  const std::int32_t first_down =
      first + tree_.tier(static_cast<std::size_t>(places_[router].tier)).ports();
  const bool turned = state.as<RouteMemory>().turned != 0;
  for (std::int32_t link = turned ? first_down : first; link < last; ++link) {
    RouteState after;
    after.to = anywhere;
    after.as<RouteMemory>().turned = link < first_down ? 0 : 1;
    out.push_back({{link, 0}, after});
  }
}

}  // namespace odonata
