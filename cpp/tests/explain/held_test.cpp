// Crossings that are kept as long as they are held.
#include "odonata/explain/held.hpp"

#include "check.hpp"

namespace odonata::tests::held_test {
namespace {

// Keeps a crossing that is handed over at this time, with as many pieces in its way.
CrossingId add(HeldCrossings& held, Leg leg, Time handed, int pieces = 0) {
  Way way;
  for (int i = 1; i <= pieces; ++i) way.emplace_back(WayPart::queue, 0, i);
  return held.add(0, handed, leg, way);
}

}  // namespace

TEST("held/a crossing stays until its last holder lets it go") {
  HeldCrossings held;
  const CrossingId first = add(held, Leg::eager, 96);
  held.hold(first);
  held.release(first);
  CHECK_EQUAL(held.num_held(), 1);
  const CrossingId second = add(held, Leg::data, 193);
  CHECK(second != first);
  CHECK_EQUAL(held[first].handed, 96);
  CHECK(held[second].leg == Leg::data);
  held.release(first);
  CHECK_EQUAL(held.num_held(), 1);
  CHECK(add(held, Leg::answer, 291) == first);
  CHECK_EQUAL(held[first].handed, 291);
  CHECK_EQUAL(held[second].handed, 193);
}

TEST("held/a crossing has its own way, not its predecessor's in the slot") {
  HeldCrossings held;
  const CrossingId number = add(held, Leg::eager, 900, 40);
  CHECK_EQUAL(held[number].way.size(), std::size_t{40});
  CHECK_EQUAL(held[number].way[39].time(), 40);
  held.release(number);
  CHECK(add(held, Leg::eager, 91, 1) == number);
  CHECK_EQUAL(held[number].way.size(), std::size_t{1});
}

TEST("held/no crossing need not be held") {
  HeldCrossings held;
  held.hold({});
  held.release({});
  CHECK_EQUAL(held.num_held(), 0);
}

}  // namespace odonata::tests::held_test
