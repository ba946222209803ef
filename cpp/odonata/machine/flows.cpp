#include "odonata/machine/flows.hpp"

#include <algorithm>

#include "odonata/random/draws.hpp"

namespace odonata {

namespace {

class Flows {
 public:
  Flows(const Machine& machine, const Routing& routing, const std::vector<std::int32_t>& left_out)
      : machine_(machine),
        routing_(routing),
        on_(machine.links.size()),
        left_out_(machine.port_router.size()) {
    for (const std::int32_t port : left_out) left_out_[static_cast<std::size_t>(port)] = true;
  }

  void add(const PortPair& pair) {
    if (!reaches(pair)) {
      ++counts_.unreachable;
      return;
    }
    ++counts_.flows;
    for (const Hop& hop : route(pair)) ++on_[hop.link];
  }

  // The part of a link that a flow has where the fullest one of its route is shared alike.
  [[nodiscard]] double share(const PortPair& pair) const {
    if (!reaches(pair)) return 0;
    std::int64_t most = 1;
    for (const Hop& hop : route(pair)) most = std::max(most, on_[hop.link]);
    return 1.0 / static_cast<double>(most);
  }

  [[nodiscard]] FlowCounts counts() const {
    FlowCounts found = counts_;
    for (const std::int64_t flows : on_) {
      found.most_flows = std::max(found.most_flows, flows);
      found.links_with_more_than_one += flows > 1 ? 1 : 0;
      found.links_used += flows > 0 ? 1 : 0;
    }
    return found;
  }

 private:
  [[nodiscard]] bool reaches(const PortPair& pair) const {
    return !left_out_[static_cast<std::size_t>(pair.first)] &&
           !left_out_[static_cast<std::size_t>(pair.second)] &&
           routing_.reaches(pair.first, pair.second);
  }
  [[nodiscard]] std::vector<Hop> route(const PortPair& pair) const {
    const std::int32_t from = machine_.port_router[pair.first];
    const std::int32_t to = machine_.port_router[pair.second];
    const auto packet =
        mix(static_cast<std::uint64_t>(pair.first) << 32 | static_cast<std::uint32_t>(pair.second));
    return routing_.follow(machine_, routing_.start(pair.first, pair.second, to), from, packet,
                           Loads{});
  }

  const Machine& machine_;
  const Routing& routing_;
  std::vector<std::int64_t> on_;  // [links]
  std::vector<bool> left_out_;    // [ports]
  FlowCounts counts_;
};

}  // namespace

FlowCounts count_flows(const Machine& machine, const Routing& routing,
                       std::span<const PortPair> pairs, const std::vector<std::int32_t>& left_out) {
  Flows flows(machine, routing, left_out);
  for (const PortPair& pair : pairs) flows.add(pair);
  FlowCounts found = flows.counts();
  for (const PortPair& pair : pairs) found.mean_share += flows.share(pair);
  if (found.flows > 0) found.mean_share /= static_cast<double>(found.flows);
  return found;
}

FlowCounts count_all_flows(const Machine& machine, const Routing& routing,
                           const std::vector<std::int32_t>& left_out) {
  Flows flows(machine, routing, left_out);
  for (std::int32_t from = 0; from < machine.num_ports(); ++from)
    for (std::int32_t to = 0; to < machine.num_ports(); ++to)
      if (from != to) flows.add({from, to});
  return flows.counts();
}

std::int64_t count_unreachable(const Machine& machine, const Routing& routing) {
  std::vector<std::int64_t> ports(static_cast<std::size_t>(machine.num_routers()));
  for (const std::int32_t router : machine.port_router) ++ports[router];
  std::vector<bool> seen(ports.size());
  std::int64_t found = 0;
  for (std::int32_t from = 0; from < machine.num_ports(); ++from) {
    const std::int32_t router = machine.port_router[from];
    if (seen[router]) continue;
    seen[router] = true;
    for (std::int32_t to = 0; to < machine.num_ports(); ++to)
      if (!routing.reaches(from, to)) found += ports[router];
  }
  return found;
}

}  // namespace odonata
