// Counter-based random draws, keyed by (seed, purpose, entity): no state, so no order of calls,
// number of threads or other draw can change a value.
#pragma once

#include <cmath>
#include <cstdint>

namespace odonata {

/// Purposes of draws; two purposes never share a stream.
enum class Purpose : std::uint64_t {
  allocation = 1,
  mapping = 2,
  route = 3,
  traffic_gap = 4,
  traffic_target = 5,
  send_order = 6,
  shuffle = 7,
  search = 8,
  busy = 9,
};

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection that mixes 64 bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// One stream of draws; draw i is a pure function of (seed, purpose, entity, i).
class Draws {
 public:
  constexpr Draws(std::uint64_t seed, Purpose purpose, std::uint64_t entity)
      : key_(mix(mix(mix(seed) ^ static_cast<std::uint64_t>(purpose)) ^ entity)) {}

  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t i) const { return mix(key_ ^ mix(i)); }

  /// Whole number in [0, n), 0 < n < 2^32.
  [[nodiscard]] constexpr std::uint32_t below(std::uint64_t i, std::uint32_t n) const {
    return static_cast<std::uint32_t>(((bits(i) >> 32) * n) >> 32);
  }

  /// Exponential number of mean 1, the same to the last bit on every processor: -log(1 - real(i))
  /// by 2 artanh((x-1)/(x+1)), since the libraries' logarithms differ.
  [[nodiscard]] double exponential(std::uint64_t i) const {
    int exponent = 0;
    double x = std::frexp(1.0 - real(i), &exponent);
    if (x < 0.7071067811865476) x *= 2, --exponent;
    const double s = (x - 1) / (x + 1), z = s * s;
    double series = 1.0 / 21;
    for (int k = 19; k > 0; k -= 2) series = 1.0 / k + z * series;
    return -(exponent * 0.6931471805599453 + 2 * s * series);
  }

  /// Real number in [0, 1) with 53 random bits.
  [[nodiscard]] constexpr double real(std::uint64_t i) const {
    return static_cast<double>(bits(i) >> 11) * 0x1.0p-53;
  }

 private:
  std::uint64_t key_;
};

/// Fisher-Yates shuffle of a random-access range by one stream.
template <class Range>
constexpr void shuffle(Range& range, const Draws& draws) {
  for (auto i = static_cast<std::uint32_t>(range.size()); i > 1; --i) {
    const std::uint32_t j = draws.below(i, i);
    auto kept = range[i - 1];
    range[i - 1] = range[j];
    range[j] = kept;
  }
}

}  // namespace odonata
