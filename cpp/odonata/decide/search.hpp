// Search for an order of ranks that costs less, by swaps of two.
#pragma once

#include <cstdint>

#include "odonata/decide/matrix.hpp"
#include "odonata/decide/nodes.hpp"
#include "odonata/decide/objective.hpp"

namespace odonata {

/// Most ranks for which `search_all` tries every order.
inline constexpr std::int32_t most_exhaustive = 8;

struct SearchOptions {
  std::uint64_t seed = 0;
  int rounds = 50;  // most rounds over all ranks
};

/// Swaps ranks as long as a round gains a thousandth of the cost: each rank with those on the nodes
/// of its partners and near them, and with some that are drawn. Never ends on a higher cost than it
/// began with. Returns the number of swaps.
std::int64_t improve(Objective& objective, const CommunicationMatrix& matrix,
                     const SlotNodes& nodes, const SearchOptions& options);

/// Tries every order and leaves the first of the best; throws UserError beyond `most_exhaustive`
/// ranks.
void search_all(Objective& objective);

/// An order made rank by rank: next the rank with the most bytes to ranks that have a slot, on the
/// free slot where its own hop-bytes are fewest.
[[nodiscard]] RankSlots place_greedily(const CommunicationMatrix& matrix, const SlotNodes& nodes);

}  // namespace odonata
