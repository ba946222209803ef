// Lengths of the routes of forwarding tables, and counts over them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "odonata/machine/families/graph/routes.hpp"
#include "odonata/machine/routing/route_counts.hpp"

namespace odonata {

inline constexpr std::uint8_t no_route = 255;

/// Links between routers of the route from each router to each address. A route that comes back to
/// a router, or ends elsewhere, does not count. [columns x routers], as the tables
[[nodiscard]] std::vector<std::uint8_t> lengths_of(const Routes& routes, const Machine& machine);

/// The same routes; none where `lengths_of` finds none.
[[nodiscard]] std::shared_ptr<const Routes> without_endless(std::shared_ptr<const Routes> routes,
                                                            const Machine& machine);

[[nodiscard]] RouteCounts count_routes(const Routes& routes, const Machine& machine);

}  // namespace odonata
