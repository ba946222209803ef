// Links on a shortest route between any two routers, found by breadth-first search.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/machine.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// A byte for each pair of routers.
class Hops {
 public:
  static constexpr int most_routers = 20'000;
  static constexpr std::uint8_t unreached = 255;

  /// Throws UserError if there are too many routers, or a route has more than 254 links.
  explicit Hops(const Machine& machine);

  /// Links on a shortest route, `unreached` without a route.
  [[nodiscard]] int between(std::int32_t from, std::int32_t to) const {
    return table_[static_cast<std::size_t>(from) * num_routers_ + static_cast<std::size_t>(to)];
  }
  /// Is there a route?
  [[nodiscard]] bool reach(std::int32_t from, std::int32_t to) const {
    return between(from, to) != unreached;
  }
  /// Distances over all pairs that have a route; `nodes` is the number of nodes of each router.
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const;
  /// Links on the longest of the shortest routes.
  [[nodiscard]] int diameter() const { return diameter_; }
  /// Throws UserError unless every router reaches all others.
  void check_connected() const;

 private:
  void fill_from(const Machine& machine, std::int32_t source);

  std::size_t num_routers_;
  int diameter_ = 0;
  std::vector<std::uint8_t> table_;  // [routers x routers]
};

}  // namespace odonata
