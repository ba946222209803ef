// The busiest link: the time that it needs for all its bytes.
#pragma once

#include "odonata/decide/link_loads.hpp"
#include "odonata/decide/matrix.hpp"
#include "odonata/decide/nodes.hpp"
#include "odonata/decide/objective.hpp"

namespace odonata {

/// Cost [s]: the largest time of all links, bytes over rate, when every message takes its minimal
/// routes.
///
/// Most swaps leave the busiest link as it is. The search therefore goes by a sum over all links
/// of (time / largest time at the start of the round)^8, which the busy ones rule, and tries the
/// ranks whose messages take the busiest links.
class MaxLink final : public Objective {
 public:
  MaxLink(const CommunicationMatrix& matrix, const SlotNodes& nodes, const Machine& machine,
          const RankSlots& slots);

  void reset(const RankSlots& slots) override;
  [[nodiscard]] const RankSlots& slots() const override { return slots_; }
  [[nodiscard]] double cost() const override;
  [[nodiscard]] double scale() const override { return 1; }
  [[nodiscard]] double gain(std::int32_t a, std::int32_t b) override;
  void swap(std::int32_t a, std::int32_t b) override;
  [[nodiscard]] std::vector<std::int32_t> begin_round() override;

  /// Bytes on each link. [links]
  [[nodiscard]] const std::vector<double>& loads() const { return loads_; }

 private:
  static constexpr std::size_t most_tried = 256;  // ranks in a round

  [[nodiscard]] double busiest_of(std::int32_t rank);
  [[nodiscard]] std::int32_t node_of(std::int32_t rank) const {
    return nodes_.machine_node(nodes_.node(slots_[rank]));
  }
  void add_messages(std::int32_t rank, std::int32_t except, double sign);
  void add_message(std::int32_t from_node, std::int32_t to_node, double bytes);
  void move(std::int32_t a, std::int32_t b);
  [[nodiscard]] double weight(std::int32_t link, double bytes) const;

  const CommunicationMatrix& matrix_;
  const SlotNodes& nodes_;
  LinkParts parts_;
  RankSlots slots_;
  std::vector<double> loads_;              // [links] bytes
  std::vector<double> seconds_per_byte_;   // [links]
  double largest_ = 0;                     // [s] at the start of the round
  std::vector<double> before_;             // [links] bytes before a tried swap, where touched
  std::vector<std::int32_t> touched_;
  std::vector<bool> is_touched_;           // [links]
};

}  // namespace odonata
