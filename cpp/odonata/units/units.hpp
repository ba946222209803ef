// Time, bytes and rates: the quantities every other word is written in.
#pragma once

#include <cstdint>
#include <limits>

namespace odonata {

using Time = std::int64_t;   // [ps]
using Bytes = std::int64_t;  // [B]

inline constexpr Time picoseconds_per_second = 1'000'000'000'000;
inline constexpr Time never = std::numeric_limits<Time>::max();
inline constexpr Bytes any_size = std::numeric_limits<Bytes>::max();  // as a threshold: none

__extension__ using Wide = unsigned __int128;
/// Sum of the times of many ranks, messages or links [ps]. A Time has room for 106 days; 10,000
/// ranks that wait for a quarter of an hour make as much together.
__extension__ using TimeSum = __int128;

/// Bandwidth as a whole number of bytes a second.
struct Rate {
  std::int64_t bytes_per_second = 0;  // [B/s]; 0 stands for an infinitely fast link

  /// Time on the wire of `bytes` [ps], rounded up: a link is never faster than its rate.
  [[nodiscard]] constexpr Time time_of(Bytes bytes) const {
    if (bytes_per_second == 0) return 0;
    constexpr Bytes fits = never / picoseconds_per_second / 2;  // 4.6 MB: the sum fits 64 bits
    if (bytes < fits) [[likely]]
      return (bytes * picoseconds_per_second + bytes_per_second - 1) / bytes_per_second;
    const Bytes seconds = bytes / bytes_per_second;
    const Bytes rest = bytes % bytes_per_second;
    const auto wide = static_cast<Wide>(rest) * picoseconds_per_second;
    const auto rate = static_cast<Wide>(bytes_per_second);
    return seconds * picoseconds_per_second + static_cast<Time>((wide + rate - 1) / rate);
  }
};

[[nodiscard]] constexpr double to_seconds(Time t) {
  return static_cast<double>(t) / static_cast<double>(picoseconds_per_second);
}

}  // namespace odonata
