// Positions of a communicator's ranks: an order in which neighbours on the machine are near.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "odonata/mpi/rank.hpp"

namespace odonata {

/// The ranks of a communicator in order of place.
struct Layout {
  std::vector<std::int32_t> order;     // [n] rank at each position
  std::vector<std::int32_t> position;  // [n] position of each rank
};

/// Ranks by (group, router, node, rank); one for all ranks of the communicator.
[[nodiscard]] std::shared_ptr<const Layout> layout(const Rank& rank);

/// Ranks by (group, router, node, rank), counted from the place of `first` round the machine:
/// `first` is in front, its node, router and group come before others. One call is O(n log n).
[[nodiscard]] std::vector<std::int32_t> order_from(const Rank& rank, int first);

}  // namespace odonata
