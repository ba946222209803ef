// Deadlock freedom: the channel dependency graph of a routing on a machine has no cycle
// (Dally and Seitz 1987).
//
// A channel is a virtual channel of a link and the buffer at its end. One channel depends on
// another if a packet that sits in the first one's buffer may ask for the second next. The graph
// is built by visiting every widened state of the routing (Routing::widened) at every router that
// it can reach, from every injection link, and it is tested by taking away channels that depend
// on nothing until none is left, or only cycles and channels that lead to them. A routing that
// knows a single route of each pair of ports (Routing::count_routes) is tested on these routes.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/routing/route_counts.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

struct DeadlockReport {
  bool deadlock_free = false;
  std::int64_t channels = 0;     // of all links
  std::int64_t used = 0;         // that some packet can be in
  std::int64_t states = 0;       // pairs of a router and a widened routing state visited
  std::int64_t transitions = 0;  // hops that may be taken from them
  std::vector<Channel> cycle;    // each depends on the next, the last on the first; or empty
};

/// Throws InternalError if the routing uses a virtual channel beyond its own `num_vcs`.
[[nodiscard]] DeadlockReport check_deadlock(const Machine& machine, const Routing& routing);

}  // namespace odonata
