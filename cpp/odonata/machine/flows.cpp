#include "odonata/machine/flows.hpp"

#include <algorithm>

#include "odonata/random/draws.hpp"

namespace odonata {

namespace {

class Flows {
 public:
  Flows(const Machine& machine, const Routing& routing)
      : machine_(machine), routing_(routing), on_(machine.links.size()) {}

  void add(const PortPair& pair) {
    if (!routing_.reaches(pair.first, pair.second)) {
      ++counts_.unreachable;
      return;
    }
    ++counts_.flows;
    for (const Hop& hop : route(pair)) ++on_[hop.link];
  }

  // The part of a link that a flow has where the fullest one of its route is shared alike.
  [[nodiscard]] double share(const PortPair& pair) const {
    if (!routing_.reaches(pair.first, pair.second)) return 0;
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
  FlowCounts counts_;
};

}  // namespace

FlowCounts count_flows(const Machine& machine, const Routing& routing,
                       std::span<const PortPair> pairs) {
  Flows flows(machine, routing);
  for (const PortPair& pair : pairs) flows.add(pair);
  FlowCounts found = flows.counts();
  for (const PortPair& pair : pairs) found.mean_share += flows.share(pair);
  if (found.flows > 0) found.mean_share /= static_cast<double>(found.flows);
  return found;
}

FlowCounts count_all_flows(const Machine& machine, const Routing& routing) {
  Flows flows(machine, routing);
  for (std::int32_t from = 0; from < machine.num_ports(); ++from)
    for (std::int32_t to = 0; to < machine.num_ports(); ++to)
      if (from != to) flows.add({from, to});
  return flows.counts();
}

}  // namespace odonata
