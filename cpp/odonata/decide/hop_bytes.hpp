// Hop-bytes: the bytes of each message times the links that they cross (Hoefler and Snir 2011).
#pragma once

#include <utility>

#include "odonata/decide/matrix.hpp"
#include "odonata/decide/nodes.hpp"
#include "odonata/decide/objective.hpp"

namespace odonata {

/// Cost [B]: the sum over all pairs of ranks of their bytes times the links between their slots. A
/// swap costs the time of the partners of two ranks.
class HopBytes final : public Objective {
 public:
  HopBytes(const CommunicationMatrix& matrix, const SlotNodes& nodes, RankSlots slots)
      : matrix_(matrix), nodes_(nodes), slots_(std::move(slots)) {}

  void reset(const RankSlots& slots) override;
  [[nodiscard]] const RankSlots& slots() const override { return slots_; }
  [[nodiscard]] double cost() override { return total(); }
  [[nodiscard]] double scale() const override { return total(); }
  [[nodiscard]] double gain(std::int32_t a, std::int32_t b, double least) override;
  void swap(std::int32_t a, std::int32_t b) override { std::swap(slots_[a], slots_[b]); }
  [[nodiscard]] std::vector<std::int32_t> begin_round() override;

 private:
  [[nodiscard]] double total() const;
  [[nodiscard]] double gain_of(std::int32_t mover, std::int32_t other) const;

  const CommunicationMatrix& matrix_;
  const SlotNodes& nodes_;
  RankSlots slots_;
};

}  // namespace odonata
