// Crossings that a rank may still ask for, where no log is kept: each goes with its last holder.
#pragma once

#include <cstdint>
#include <span>

#include "odonata/engine/way.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/explain/log.hpp"

namespace odonata {

/// A `CrossingId` has the number of a slot, which is unique among all ranks; an empty id is
/// allowed.
class HeldCrossings {
 public:
  struct Held {
    Time handed = 0;  // [ps]
    Leg leg = Leg::eager;
    std::uint32_t holders = 1;
    Way way;
  };

  /// Keeps a crossing; who asks for it is its first holder.
  CrossingId add(std::int32_t rank, Time handed, Leg leg, std::span<const Piece> way) {
    const std::uint32_t number = slots_.add();
    Held& held = slots_[number];
    held.handed = handed;
    held.leg = leg;
    held.holders = 1;
    held.way.assign(way.begin(), way.end());
    return {rank, number};
  }
  void hold(CrossingId id) {
    if (id) ++slots_[id.number].holders;
  }
  void release(CrossingId id) {
    if (id && --slots_[id.number].holders == 0) slots_.remove(id.number);
  }
  [[nodiscard]] const Held& operator[](CrossingId id) const { return slots_[id.number]; }
  /// Crossings that are held.
  [[nodiscard]] std::int64_t num_held() const { return slots_.num_used(); }

 private:
  Slots<Held> slots_;
};

}  // namespace odonata
