// Nodes of a job's slots, and the links between them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// RankSlots on nodes, with the number of links between any two.
///
/// A byte between two nodes crosses the links of both nodes, and a shortest route between their
/// routers; within a node it crosses no link.
class SlotNodes {
 public:
  static constexpr std::int32_t most_in_table = 8'192;  // routers

  /// node_of: node of each slot; throws UserError if one is not the machine's.
  SlotNodes(const Machine& machine, const std::vector<std::int32_t>& node_of);

  [[nodiscard]] std::int32_t slots() const { return static_cast<std::int32_t>(at_.size()); }
  /// Used nodes, numbered from 0 in the order of their numbers on the machine.
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(slots_of_.size()); }
  [[nodiscard]] std::int32_t node(std::int32_t slot) const { return at_[slot].node; }
  /// Number on the machine of a used node.
  [[nodiscard]] std::int32_t machine_node(std::int32_t node) const { return nodes_[node]; }
  /// RankSlots of a used node.
  [[nodiscard]] const std::vector<std::int32_t>& slots_of(std::int32_t node) const {
    return slots_of_[node];
  }
  /// The used nodes nearest to a used one, itself first; of equal ones, nodes with near numbers.
  [[nodiscard]] const std::vector<std::int32_t>& near(std::int32_t node) const {
    return near_[node];
  }

  /// Links that a byte crosses between two slots.
  [[nodiscard]] int links(std::int32_t a, std::int32_t b) const {
    const At &from = at_[a], &to = at_[b];
    if (from.node == to.node) return 0;
    return 2 + between_routers(from.router, to.router);
  }

 private:
  struct At {                   // of a slot
    std::int32_t node, router;  // numbers among the used ones
  };

  [[nodiscard]] int between_routers(std::int32_t a, std::int32_t b) const {
    if (table_.empty()) return routing_->distance(routers_[a], routers_[b]);
    return table_[static_cast<std::size_t>(a) * routers_.size() + static_cast<std::size_t>(b)];
  }
  void fill_table();
  void find_near();

  std::unique_ptr<Routing> routing_;
  std::vector<At> at_;                               // [slots]
  std::vector<std::int32_t> nodes_, routers_;        // used ones, by number
  std::vector<std::vector<std::int32_t>> slots_of_;  // [nodes]
  std::vector<std::vector<std::int32_t>> near_;      // [nodes]
  std::vector<std::uint16_t> table_;                 // [routers x routers]
};

}  // namespace odonata
