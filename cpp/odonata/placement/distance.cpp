#include "odonata/placement/distance.hpp"

#include <algorithm>

namespace odonata {

std::vector<std::int64_t> count_distances(const Machine& machine, const Routing& routing,
                                          const std::vector<std::int32_t>& nodes) {
  std::vector<std::int64_t> ranks_of(machine.num_routers(), 0);
  for (const std::int32_t node : nodes)
    ++ranks_of[machine.node_router[static_cast<std::size_t>(node)]];
  std::vector<std::int32_t> routers;
  for (std::int32_t r = 0; r < machine.num_routers(); ++r)
    if (ranks_of[r] > 0) routers.push_back(r);

  std::vector<std::int64_t> pairs(1, 0);
  for (std::size_t i = 0; i < routers.size(); ++i) {
    const std::int64_t here = ranks_of[routers[i]];
    pairs[0] += here * (here - 1) / 2;
    for (std::size_t j = 0; j < i; ++j) {
      const auto apart = static_cast<std::size_t>(routing.distance(routers[i], routers[j]));
      if (apart >= pairs.size()) pairs.resize(apart + 1, 0);
      pairs[apart] += here * ranks_of[routers[j]];
    }
  }
  return pairs;
}

}  // namespace odonata
