#include <algorithm>
#include <limits>

#include "odonata/machine/families/graph/broken.hpp"
#include "odonata/machine/families/graph/engines.hpp"
#include "odonata/machine/families/graph/tiers.hpp"
#include "odonata/machine/families/tables/hops.hpp"

namespace odonata {

namespace {

// The router with the least sum of distances to all others, the first of equals.
std::int32_t middle_of(const Machine& machine) {
  const Hops hops(machine);
  std::int32_t best = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t a = 0; a < machine.num_routers(); ++a) {
    std::int64_t sum = 0;
    for (std::int32_t b = 0; b < machine.num_routers(); ++b) sum += hops.between(a, b);
    if (sum < least) least = sum, best = a;
  }
  return best;
}

std::vector<std::int32_t> roots_of(const Machine& machine) {
  const std::vector<std::int32_t> distance = distances_from(machine, leaves_of(machine));
  const std::int32_t most = *std::ranges::max_element(distance);
  if (most <= 0) return {middle_of(machine)};
  std::vector<std::int32_t> roots;
  for (std::int32_t r = 0; r < machine.num_routers(); ++r)
    if (distance[r] == most) roots.push_back(r);
  return roots;
}

Routes route_from(const Machine& machine, const std::vector<std::int32_t>& roots) {
  std::vector<std::int32_t> height = distances_from(machine, roots);
  for (std::int32_t& h : height) h = -h;
  std::vector<std::int32_t> given(machine.links.size());
  return Tiers(machine, std::move(height))
      .route([&](const LinkChoices& links, std::int32_t, std::int32_t, bool) {
        const std::int32_t best = *std::ranges::min_element(
            links, [&](std::int32_t a, std::int32_t b) { return given[a] < given[b]; });
        ++given[best];
        return best;
      });
}

// Is there a way from every router with ports to every port that links lead to?
bool is_complete(const Routes& routes, const Machine& machine) {
  const std::vector<std::int32_t> part = parts_of(machine);
  return std::ranges::all_of(leaves_of(machine), [&](std::int32_t leaf) {
    for (std::int32_t p = 0; p < routes.ports; ++p)
      if (routes.at(leaf, p) == Routes::none && part[leaf] == part[machine.port_router[p]])
        return false;
    return true;
  });
}

}  // namespace

Routes route_updown(const Machine& machine) {
  const std::vector<std::int32_t> roots = roots_of(machine);
  Routes routes = route_from(machine, roots);
  if (roots.size() == 1 || is_complete(routes, machine)) return routes;
  return route_from(machine, {roots.front()});
}

}  // namespace odonata
