// The busiest link: the time that it needs for all its bytes.
#pragma once

#include "odonata/decide/link_loads.hpp"
#include "odonata/decide/matrix.hpp"
#include "odonata/decide/nodes.hpp"
#include "odonata/decide/objective.hpp"
#include "odonata/decide/pair_prices.hpp"

namespace odonata {

/// Cost [s]: the largest time of all links, bytes over rate, when every message takes its minimal
/// routes.
///
/// Most swaps leave the busiest link as it is. The search therefore goes by a sum over all links
/// of (time / largest time at the start of the round)^8, which the busy ones rule, and tries the
/// ranks whose messages take the busiest links. A swap takes the messages of both ranks off their
/// links and puts them on others: the first half gains, the second one only loses, so that it
/// ends where too little is left.
class MaxLink final : public Objective {
 public:
  /// parts: routes that are found for one order are kept for the next.
  MaxLink(const CommunicationMatrix& matrix, const SlotNodes& nodes, LinkParts& parts,
          const RankSlots& slots);

  void reset(const RankSlots& slots) override;
  [[nodiscard]] const RankSlots& slots() const override { return slots_; }
  [[nodiscard]] double cost() override;
  [[nodiscard]] double scale() const override { return 1; }
  [[nodiscard]] double gain(std::int32_t a, std::int32_t b, double least) override;
  void shorten(std::int32_t a, std::vector<std::int32_t>& others) override;
  void swap(std::int32_t a, std::int32_t b) override;
  [[nodiscard]] std::vector<std::int32_t> begin_round() override;

  /// Bytes on each link. [links]
  [[nodiscard]] const std::vector<double>& loads();

 private:
  static constexpr std::size_t most_tried = 256;    // ranks in a round
  static constexpr std::size_t most_moved = 4'096;  // messages in all trials of a rank

  struct Change {  // of a link, with its old values
    std::int32_t link;
    double load, weight;
  };

  [[nodiscard]] double busiest_of(std::int32_t rank);
  [[nodiscard]] std::int32_t node_of(std::int32_t rank) const {
    return nodes_.machine_node(nodes_.node(slots_[rank]));
  }
  void set_prices();
  [[nodiscard]] double guess(std::int32_t a, std::int32_t b);
  [[nodiscard]] double guess_move(std::int32_t rank, std::int32_t other);
  [[nodiscard]] std::size_t messages(std::int32_t rank) const;
  void lift(std::int32_t rank);
  void put_back();
  bool add_messages(std::int32_t rank, std::int32_t except, double sign, double least);
  void add_message(std::int32_t from_node, std::int32_t to_node, double bytes);
  void undo(std::size_t kept);
  [[nodiscard]] double weight(std::int32_t link) const;

  const CommunicationMatrix& matrix_;
  const SlotNodes& nodes_;
  LinkParts& parts_;
  RankSlots slots_;
  std::vector<double> loads_;             // [links] bytes, without the lifted rank
  std::vector<double> seconds_per_byte_;  // [links]
  std::vector<double> weights_;           // [links] terms of the sum
  double per_largest_ = 0;                // [1/s] at the start of the round
  PairPrices prices_;                     // at the start of the round
  std::int32_t lifted_ = -1;              // rank whose messages were taken off their links
  double lifted_gain_ = 0;                // gain of that
  std::size_t lifted_changes_ = 0;
  double gained_ = 0;                     // by all changes
  std::vector<Change> changes_;           // since the last swap
};

}  // namespace odonata
