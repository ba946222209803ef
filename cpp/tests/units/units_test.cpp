#include "odonata/units/units.hpp"

#include "check.hpp"

using odonata::Bytes;
using odonata::Rate;

TEST("units/a byte at 1 GB per second takes 1,000 ps") {
  CHECK_EQUAL(Rate{1'000'000'000}.time_of(1), 1000);
}

TEST("units/times round up: a link is never faster than its rate") {
  CHECK_EQUAL(Rate{3}.time_of(1), 333'333'333'334);
}

TEST("units/a rate of 0 stands for an infinitely fast link") {
  CHECK_EQUAL(Rate{}.time_of(1'000'000), 0);
}

TEST("units/small and large messages use one formula") {
  constexpr Bytes edge = odonata::never / odonata::picoseconds_per_second;
  constexpr Rate rate{5'250'000'000};
  for (Bytes bytes = edge - 2; bytes <= edge + 2; ++bytes) {
    const auto wide = static_cast<odonata::Wide>(bytes) * odonata::picoseconds_per_second;
    const auto expected = (wide + 5'249'999'999U) / 5'250'000'000U;
    CHECK_EQUAL(rate.time_of(bytes), static_cast<odonata::Time>(expected));
  }
}
