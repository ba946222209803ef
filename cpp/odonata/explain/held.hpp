// Crossings that a rank may still ask for, where no path is kept: each goes with its last holder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "odonata/engine/way.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/explain/log.hpp"

namespace odonata {

/// Numbers of crossings may be `Transit::none`, which nobody needs to hold.
class HeldTransits {
 public:
  struct Crossing {
    Time handed = 0, end = 0;  // [ps]
    Leg leg = Leg::eager;
    bool inside = false;  // a node
    std::uint32_t holders = 1;
  };

  /// Keeps a crossing; who asks for it is its first holder.
  std::uint32_t add(const Crossing& crossing) {
    const std::uint32_t number = slots_.add();
    slots_[number].crossing = crossing;
    return number;
  }
  void keep_way(std::uint32_t number, const WayTimes& way) {
    Held& held = slots_[number];
    held.way = way;
    if (way.delays.size() > inside) [[unlikely]]
      keep_long(number, way.delays);
    else
      std::copy(way.delays.begin(), way.delays.end(), held.delays.begin());
  }
  void hold(std::uint32_t number) {
    if (number != Transit::none) ++slots_[number].crossing.holders;
  }
  [[gnu::noinline]] void release(std::uint32_t number) {
    if (number != Transit::none && --slots_[number].crossing.holders == 0) slots_.remove(number);
  }
  [[nodiscard]] const Crossing& operator[](std::uint32_t number) const {
    return slots_[number].crossing;
  }
  [[nodiscard]] WayTimes way(std::uint32_t number) const {
    const Held& held = slots_[number];
    WayTimes way = held.way;
    const Delay* kept = way.delays.size() > inside ? long_[number].data() : held.delays.data();
    way.delays = {kept, way.delays.size()};
    return way;
  }
  /// Crossings that somebody holds.
  [[nodiscard]] std::int64_t num_held() const { return slots_.num_used(); }

 private:
  static constexpr std::size_t inside = 2;
  struct alignas(64) Held {
    Crossing crossing;
    WayTimes way;  // whose delays are
    std::array<Delay, inside> delays;  // unless there are more
  };
  static_assert(sizeof(Held) == 128);

  void keep_long(std::uint32_t number, std::span<const Delay> delays) {
    if (long_.size() <= number) long_.resize(slots_.size());
    long_[number].assign(delays.begin(), delays.end());
  }

  Slots<Held> slots_;
  std::vector<std::vector<Delay>> long_;  // by number
};

}  // namespace odonata
