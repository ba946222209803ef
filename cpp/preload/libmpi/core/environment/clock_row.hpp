// Readings of a clock in a row, with no other call of MPI between them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "odonata/trace/call.hpp"
#include "odonata/units/units.hpp"

namespace odonata::libmpi {

/// Time does not pass because a clock is read. A program that waits for the time in a loop around a
/// clock would never end, so a very long row of readings is taken for such a loop: each further
/// reading takes time, and the longer the loop has lasted the more. A rank that has been in such a
/// loop is believed sooner the next time.
class ClockRow {
 public:
  /// The time [ns] that passes with a reading at `now` [ps].
  [[nodiscard]] std::int64_t read(Time now, trace::Asker asker) {
    if (count_ == 0) begin_ = now;
    const Limits& limits = asker == trace::Asker::wtime ? of_wtime : of_c_library;
    if (++count_ <= (waits_ ? limits.later : limits.first)) return 0;
    waits_ = true;
    constexpr Time picoseconds = 1000;  // a nanosecond
    return std::clamp((now - begin_) / limits.share, least, limits.most) / picoseconds;
  }
  /// The rank makes another call.
  void end() { count_ = 0; }
  /// Has the rank been in a loop that waits for the time?
  [[nodiscard]] bool waits() const { return waits_; }

 private:
  struct Limits {
    std::int64_t first, later;  // readings that take no time, before and after the first loop
    Time share;  // of the time of the row, which a reading takes
    Time most;   // [ps] that a reading takes
  };
  static constexpr Time least = 1'000'000;  // [ps]
  static constexpr Limits of_wtime{1'000'000, 10'000, 64, Time{1} << 60};
  static constexpr Limits of_c_library{1'000'000, 100'000, 1'024, 100'000'000};

  std::int64_t count_ = 0;
  Time begin_ = 0;  // [ps] of the row
  bool waits_ = false;
};

}  // namespace odonata::libmpi
