// Additions to sums that are seldom in the cache.
#pragma once

#include <array>
#include <cstddef>

#include "odonata/event/fetch.hpp"
#include "odonata/units/units.hpp"

namespace odonata {

/// Keeps additions and makes many at a time: the processor then waits for the lines of all of them
/// together, and not for one after the other.
class Additions {
 public:
  static constexpr std::size_t at_a_time = 256;

  /// The sum will be greater by `time`, when they are settled. It keeps its place until then.
  void add(Time& sum, Time time) {
    kept_[count_] = {&sum, time};
    count_ += time != 0 ? 1 : 0;
    if (count_ == at_a_time) [[unlikely]]
      settle();
  }
  /// All sums are what they should be.
  void settle();

 private:
  static constexpr std::size_t ahead = 16;  // sums whose lines are fetched
  struct Addition {
    Time* sum = nullptr;
    Time time = 0;
  };

  std::size_t count_ = 0;
  std::array<Addition, at_a_time> kept_;
};

[[gnu::noinline]] inline void Additions::settle() {
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + ahead < count_) fetch(kept_[i + ahead].sum);
    *kept_[i].sum += kept_[i].time;
  }
  count_ = 0;
}

}  // namespace odonata
