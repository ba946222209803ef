// The mapper: orders of the ranks of one job on its slots, and their costs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "odonata/decide/max_link.hpp"
#include "odonata/decide/search.hpp"

namespace odonata {

/// The ranks of a matrix on the slots of a job, of which there are as many.
class Mapper {
 public:
  /// node_of: node of each slot. Throws UserError unless there is a slot for each rank.
  Mapper(std::shared_ptr<const Machine> machine, const std::vector<std::int32_t>& node_of,
         CommunicationMatrix matrix);

  /// Hop-bytes of an order [B].
  [[nodiscard]] double hop_bytes(const RankSlots& slots) const;
  /// Time of the busiest link under an order [s].
  [[nodiscard]] double max_link_seconds(const RankSlots& slots) const;
  /// Bytes on each link under an order. [links]
  [[nodiscard]] std::vector<double> loads(const RankSlots& slots) const;

  /// See `place_greedily`.
  [[nodiscard]] RankSlots greedy() const { return place_greedily(matrix_, nodes_); }
  /// The order that a search by swaps makes of this one: see `improve`. The objective is
  /// "hop-bytes" or "max-link".
  [[nodiscard]] RankSlots improved(const std::string& objective, const RankSlots& slots,
                                   const SearchOptions& options) const;
  /// The best of all orders: see `search_all`.
  [[nodiscard]] RankSlots best(const std::string& objective) const;

 private:
  void check(const RankSlots& slots) const;
  [[nodiscard]] std::unique_ptr<Objective> objective_named(const std::string& name,
                                                           const RankSlots& slots) const;

  std::shared_ptr<const Machine> machine_;
  CommunicationMatrix matrix_;
  SlotNodes nodes_;
  mutable LinkParts parts_;  // remembers routes
};

}  // namespace odonata
