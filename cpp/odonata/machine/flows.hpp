// Flows on links: how many of the messages of a pattern take each link between routers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "odonata/machine/routing/routing.hpp"

namespace odonata {

using PortPair = std::pair<std::int32_t, std::int32_t>;

/// Counts over the links between routers; links of nodes are not among them.
struct FlowCounts {
  std::int64_t flows = 0;              // pairs with a route
  std::int64_t unreachable = 0;        // pairs without
  std::int64_t most_flows = 0;         // on a link
  std::int64_t links_with_more_than_one = 0;
  std::int64_t links_used = 0;
  double mean_share = 0;  // of the flows: 1 / the flows on the fullest link of their route
};

/// Follows the route of each pair of ports on an idle machine; a policy that draws its routes draws
/// one for each pair. Pairs with a port of `left_out` count as unreachable.
[[nodiscard]] FlowCounts count_flows(const Machine& machine, const Routing& routing,
                                     std::span<const PortPair> pairs,
                                     const std::vector<std::int32_t>& left_out = {});

/// The same for all ordered pairs of different ports, without `mean_share`.
[[nodiscard]] FlowCounts count_all_flows(const Machine& machine, const Routing& routing,
                                         const std::vector<std::int32_t>& left_out = {});

/// Ordered pairs of different ports without a route, by a routing that looks at the routers of
/// senders alone.
[[nodiscard]] std::int64_t count_unreachable(const Machine& machine, const Routing& routing);

}  // namespace odonata
