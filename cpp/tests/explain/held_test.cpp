// Crossings that are kept as long as somebody holds them.
#include "odonata/explain/held.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"

namespace odonata::tests::held_test {
namespace {

std::vector<Delay> some(int count) {
  std::vector<Delay> delays;
  for (int i = 1; i <= count; ++i) delays.push_back({10 * i, {WayPart::queue, 0, i}});
  return delays;
}

// Keeps a crossing that ends at this time, with as many delays.
std::uint32_t add(HeldTransits& held, Leg leg, Time end, int delays = 0) {
  const std::vector<Delay> kept = some(delays);
  WayTimes way;
  way.delays = kept;
  const std::uint32_t number = held.add({end - 10, end, leg, false});
  held.keep_way(number, way);
  return number;
}

}  // namespace

TEST("held/a crossing stays until its last holder lets it go") {
  HeldTransits held;
  const std::uint32_t first = add(held, Leg::eager, 106);
  held.hold(first);
  held.release(first);
  CHECK_EQUAL(held.num_held(), 1);
  const std::uint32_t second = add(held, Leg::data, 203);
  CHECK(second != first);
  CHECK_EQUAL(held[first].handed, 96);
  CHECK_EQUAL(held[first].end, 106);
  CHECK(held[second].leg == Leg::data);
  held.release(first);
  CHECK_EQUAL(held.num_held(), 1);
  CHECK_EQUAL(add(held, Leg::answer, 301), first);
  CHECK_EQUAL(held[first].end, 301);
  CHECK_EQUAL(held[second].end, 203);
}

TEST("held/a long way is kept whole, and a short one after it") {
  for (const int count : {2, 3, 40}) {
    HeldTransits held;
    const std::uint32_t number = add(held, Leg::eager, 900, count);
    const std::vector<Delay> kept = some(count);
    const auto found = held.way(number).delays;
    CHECK(std::equal(found.begin(), found.end(), kept.begin(), kept.end()));
    held.release(number);
    CHECK_EQUAL(add(held, Leg::eager, 91, 1), number);
    CHECK_EQUAL(held.way(number).delays.size(), std::size_t{1});
    CHECK_EQUAL(held.way(number).delays[0].piece.time(), 1);
  }
}

TEST("held/nobody needs to hold what is none") {
  HeldTransits held;
  held.hold(Transit::none);
  held.release(Transit::none);
  CHECK_EQUAL(held.num_held(), 0);
}

}  // namespace odonata::tests::held_test
