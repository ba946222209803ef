#include "odonata/workload/layout.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace odonata {

namespace {

using Place = std::array<std::int32_t, 4>;  // group, router, node, rank

Place place_of(const Rank& rank, int r) {
  return {rank.group_of(r), rank.router_of(r), rank.node_of(r), r};
}

// Each coordinate counted from the origin's; smaller coordinates come after all larger ones.
Place seen_from(const Place& origin, Place place) {
  constexpr std::int32_t behind = 1 << 30;
  for (std::size_t i = 0; i < place.size(); ++i)
    place[i] += place[i] < origin[i] ? behind - origin[i] : -origin[i];
  return place;
}

std::vector<std::int32_t> sorted_from(const Rank& rank, const Place& origin) {
  std::vector<Place> places;
  for (int r = 0; r < rank.size(); ++r) places.push_back(place_of(rank, r));
  std::vector<std::int32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Place> keys;
  for (const Place& place : places) keys.push_back(seen_from(origin, place));
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return keys[a] < keys[b]; });
  return order;
}

}  // namespace

std::shared_ptr<const Layout> layout(const Rank& rank) {
  return rank.shared("layout", [&] {
    Layout made{sorted_from(rank, Place{}), {}};
    made.position.resize(made.order.size());
    for (std::int32_t i = 0; i < rank.size(); ++i)
      made.position[made.order[static_cast<std::size_t>(i)]] = i;
    return made;
  });
}

std::vector<std::int32_t> order_from(const Rank& rank, int first) {
  return sorted_from(rank, place_of(rank, first));
}

}  // namespace odonata
