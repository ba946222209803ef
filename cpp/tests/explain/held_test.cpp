// Crossings that are kept as long as somebody holds them.
#include "odonata/explain/held.hpp"

#include "check.hpp"

namespace odonata::tests::held_test {
namespace {

Way way_of(int pieces) {
  Way way;
  for (int i = 1; i <= pieces; ++i) way.emplace_back(WayPart::wire, 0, i);
  return way;
}

}  // namespace

TEST("held/a crossing stays until its last holder lets it go") {
  HeldTransits held;
  const std::uint32_t first = held.add(100, Leg::eager, way_of(3));
  held.hold(first);
  held.release(first);
  CHECK_EQUAL(held.num_held(), 1);
  const std::uint32_t second = held.add(200, Leg::data, way_of(2));
  CHECK(second != first);
  CHECK_EQUAL(held.handed(first), 100);
  CHECK_EQUAL(held.end(first), 106);
  CHECK(held.leg(second) == Leg::data);
  held.release(first);
  CHECK_EQUAL(held.num_held(), 1);
  CHECK_EQUAL(held.add(300, Leg::answer, way_of(1)), first);
  CHECK_EQUAL(held.end(first), 301);
  CHECK_EQUAL(held.end(second), 203);
}

TEST("held/a long way is kept whole, and a short one after it") {
  HeldTransits held;
  const std::uint32_t number = held.add(0, Leg::eager, way_of(40));
  CHECK_EQUAL(held.way(number).size(), std::size_t{40});
  CHECK_EQUAL(held.end(number), 820);
  held.release(number);
  CHECK_EQUAL(held.add(0, Leg::eager, way_of(13)), number);
  CHECK_EQUAL(held.end(number), 91);
}

TEST("held/nobody needs to hold what is none") {
  HeldTransits held;
  held.hold(Transit::none);
  held.release(Transit::none);
  CHECK_EQUAL(held.num_held(), 0);
}

}  // namespace odonata::tests::held_test
