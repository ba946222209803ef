#include "preload/libmpi/core/datatypes/basic_types.hpp"

#include <cmath>
#include <limits>

namespace odonata::libmpi {

namespace {

constexpr std::uint16_t infinity = 0x7c00;

std::uint16_t half_magnitude(float value) {
  if (std::isnan(value)) return infinity | 0x200;
  if (value >= 65520.0F) return infinity;
  if (value < 0x1p-14F) return static_cast<std::uint16_t>(std::nearbyint(value * 0x1p24F));
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  const int digits = static_cast<int>(std::nearbyint(fraction * 0x1p11F));
  return static_cast<std::uint16_t>(((exponent + 13) << 10) + digits);  // a carry is right, too
}

}  // namespace

Half::Half(float value) : bits_(half_magnitude(std::fabs(value))) {
  if (std::signbit(value)) bits_ = static_cast<std::uint16_t>(bits_ | 0x8000);
}

Half::operator float() const {
  const int exponent = (bits_ >> 10) & 31;
  const auto digits = static_cast<float>(bits_ & 0x3ff);
  float value = exponent == 0 ? digits * 0x1p-24F : std::ldexp(1024.0F + digits, exponent - 25);
  if (exponent == 31)
    value = digits == 0.0F ? std::numeric_limits<float>::infinity()
                           : std::numeric_limits<float>::quiet_NaN();
  return (bits_ & 0x8000) != 0 ? -value : value;
}

}  // namespace odonata::libmpi
