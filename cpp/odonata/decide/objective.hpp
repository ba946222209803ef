// Objectives of a search for a better order of ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace odonata {

/// Slot of each rank. A slot is a place for one rank on a node; before the search, rank r is on
/// slot r. [ranks]
using RankSlots = std::vector<std::int32_t>;

/// A cost of an order of ranks, and its change by a swap of two; less is better. It keeps the order
/// at hand.
class Objective {
 public:
  virtual ~Objective() = default;

  /// Starts anew from an order.
  virtual void reset(const RankSlots& slots) = 0;
  [[nodiscard]] virtual const RankSlots& slots() const = 0;
  /// Cost of the order at hand.
  [[nodiscard]] virtual double cost() = 0;
  /// Size of the cost in the units of `gain`: a gain that is a tiny part of it is rounding.
  [[nodiscard]] virtual double scale() const = 0;
  /// Gain of the search if two ranks changed slots; negative where it would lose. A gain of no more
  /// than `least` may come out as any number up to `least`. Trials of one rank `a` after the other
  /// are cheap.
  [[nodiscard]] virtual double gain(std::int32_t a, std::int32_t b, double least) = 0;
  /// Leaves the ranks that are worth a trial with rank `a`, in the order of the trials.
  virtual void shorten(std::int32_t /*a*/, std::vector<std::int32_t>& /*others*/) {}
  /// Lets two ranks change slots.
  virtual void swap(std::int32_t a, std::int32_t b) = 0;
  /// Tells that a round of the search begins, and gives the ranks that are worth a try, in order.
  [[nodiscard]] virtual std::vector<std::int32_t> begin_round() = 0;
};

}  // namespace odonata
