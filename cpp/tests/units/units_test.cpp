#include "odonata/units/units.hpp"

#include <string>

#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::units_test {

using odonata::Bytes;
using odonata::ConservationError;
using odonata::Rate;
using odonata::UserError;

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

TEST("units/an error says its fields in one line, and keeps them") {
  const UserError error("shape.groups: out of range", 74, "1 to 73");
  CHECK_EQUAL(std::string(error.what()), "shape.groups: out of range: 74; allowed: 1 to 73");
  CHECK_EQUAL(std::get<std::int64_t>(error.fault().value), 74);
  CHECK_EQUAL(std::string(UserError("engine: unknown", "pakcet").what()),
              "engine: unknown: 'pakcet'");
  CHECK_EQUAL(std::string(UserError("scale: out of range", -0.5, "0 or more").what()),
              "scale: out of range: -0.5; allowed: 0 or more");
  CHECK_EQUAL(std::string(UserError("matrix: damaged").what()), "matrix: damaged");
  const ConservationError lost("link 7", "received [B]", 3, 5);
  CHECK_EQUAL(std::string(lost.what()), "conservation: link 7: received [B]: 3; expected: 5");
  CHECK_EQUAL(lost.place(), "link 7");
  CHECK_EQUAL(lost.expected() - lost.found(), 2);
}

}  // namespace odonata::tests::units_test
