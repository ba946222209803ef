// Counts over the routes between all ports of a machine, where each pair of ports has one route.
#pragma once

#include <cstdint>
#include <vector>

namespace odonata {

/// A virtual channel of a link.
struct Channel {
  std::int32_t link = 0;
  std::int32_t vc = 0;

  friend bool operator==(const Channel&, const Channel&) = default;
};

/// Channels belong to links that leave a router, to another router or to a port of a node. A
/// channel waits for the next one on a route.
struct RouteCounts {
  std::int64_t unreachable_pairs = 0;        // ordered pairs of ports without a route
  std::vector<std::int64_t> pairs_of;        // [routers on a route] ordered pairs of ports
  std::int64_t channels = 0;                 // on routes
  std::int64_t dependencies = 0;  // pairs of channels, one behind the other on a route
  std::int64_t channels_in_cycles = 0;  // left when channels for which none waits are taken
                                        // away again and again
  std::vector<Channel> cycle;  // each waits for the next, the last for the first
};

}  // namespace odonata
