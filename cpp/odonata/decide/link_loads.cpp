#include "odonata/decide/link_loads.hpp"

#include <algorithm>

#include "odonata/random/draws.hpp"

namespace odonata {

LinkParts::LinkParts(const Machine& machine)
    : machine_(machine), routing_(make_routing(machine, {})) {}

std::span<const LinkPart> LinkParts::between(std::int32_t from_port, std::int32_t to_port) {
  const std::int32_t from = machine_.port_router[from_port], to = machine_.port_router[to_port];
  if (from == to) return {};
  const RouteState start = routing_->start(from_port, to_port, to);
  const Ends ends{from, to, start.bits()};
  if (const auto found = rows_.find(ends); found != rows_.end())
    return {parts_.data() + found->second.first, found->second.count};
  if (parts_.size() > most_parts) rows_.clear(), parts_.clear();
  std::vector<std::int32_t> links;
  for (std::uint64_t route = 0; route < routes; ++route)
    for (const Hop& hop :
         routing_->follow(machine_, start, from, mix(ends.bits()) + route, Loads{}))
      links.push_back(hop.link);
  std::ranges::sort(links);
  const std::size_t first = parts_.size();
  for (const std::int32_t link : links) {
    if (parts_.size() == first || parts_.back().link != link) parts_.push_back({link, 0});
    parts_.back().part += 1.0F / routes;
  }
  rows_[ends] = {first, parts_.size() - first};
  return {parts_.data() + first, parts_.size() - first};
}

}  // namespace odonata
