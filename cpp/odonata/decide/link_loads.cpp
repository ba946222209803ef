#include "odonata/decide/link_loads.hpp"

#include <algorithm>

#include "odonata/random/draws.hpp"

namespace odonata {

namespace {

// Links of one route between two nodes.
void follow(const Machine& machine, const Routing& routing, std::int32_t from_node,
            std::int32_t to_node, std::uint64_t packet, std::vector<std::int32_t>& links) {
  const std::int32_t to = machine.node_router[to_node];
  std::int32_t router = machine.node_router[from_node];
  RouteState state = routing.start(from_node, to_node, to);
  while (!routing.arrived(state, router)) {
    const Hop hop = routing.next(state, router, packet, Loads{});
    links.push_back(hop.link);
    router = machine.links[hop.link].to;
  }
}

}  // namespace

LinkParts::LinkParts(const Machine& machine)
    : machine_(machine), routing_(make_routing(machine, {})) {}

std::span<const LinkPart> LinkParts::between(std::int32_t from_node, std::int32_t to_node) {
  const auto key =
      static_cast<std::uint64_t>(from_node) << 32 | static_cast<std::uint32_t>(to_node);
  if (const auto found = rows_.find(key); found != rows_.end())
    return {parts_.data() + found->second.first, found->second.count};
  if (parts_.size() > most_parts) rows_.clear(), parts_.clear();
  std::vector<std::int32_t> links;
  for (std::uint64_t route = 0; route < routes; ++route)
    follow(machine_, *routing_, from_node, to_node, mix(key) + route, links);
  std::ranges::sort(links);
  const std::size_t first = parts_.size();
  for (const std::int32_t link : links) {
    if (parts_.size() == first || parts_.back().link != link) parts_.push_back({link, 0});
    parts_.back().part += 1.0F / routes;
  }
  rows_[key] = {first, parts_.size() - first};
  return {parts_.data() + first, parts_.size() - first};
}

}  // namespace odonata
