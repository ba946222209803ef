// Crossings that a rank may still ask for, where no log is kept: each goes with its last holder.
#pragma once

#include <cstdint>
#include <span>

#include "odonata/engine/way.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/explain/log.hpp"

namespace odonata {

/// Numbers of crossings may be `Crossing::none`, which need not be held.
class HeldCrossings {
 public:
  struct Held {
    Time handed = 0;  // [ps]
    Leg leg = Leg::eager;
    std::uint32_t holders = 1;
    Way way;
  };

  /// Keeps a crossing; who asks for it is its first holder.
  std::uint32_t add(Time handed, Leg leg, std::span<const Piece> way) {
    const std::uint32_t number = slots_.add();
    Held& held = slots_[number];
    held.handed = handed;
    held.leg = leg;
    held.holders = 1;
    held.way.assign(way.begin(), way.end());
    return number;
  }
  void hold(std::uint32_t number) {
    if (number != Crossing::none) ++slots_[number].holders;
  }
  void release(std::uint32_t number) {
    if (number != Crossing::none && --slots_[number].holders == 0) slots_.remove(number);
  }
  [[nodiscard]] const Held& operator[](std::uint32_t number) const { return slots_[number]; }
  /// Crossings that are held.
  [[nodiscard]] std::int64_t num_held() const { return slots_.num_used(); }

 private:
  Slots<Held> slots_;
};

}  // namespace odonata
