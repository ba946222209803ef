// Numbers of things that come and go.
#include "odonata/event/slots.hpp"

#include "check.hpp"

namespace odonata::tests::slots_test {
namespace {

struct Thing {
  int value = 7;
};

TEST("slots/a number is given again, the latest first, to a thing that is new") {
  Slots<Thing> slots;
  for (std::uint32_t i = 0; i < 3; ++i) CHECK_EQUAL(slots.add(), i);
  slots[1].value = 1;
  slots.remove(0);
  slots.remove(1);
  CHECK_EQUAL(slots[1].value, 1);
  CHECK_EQUAL(slots.add(), 1U);
  CHECK_EQUAL(slots[1].value, 7);
  CHECK_EQUAL(slots.add(), 0U);
  CHECK_EQUAL(slots.add(), 3U);
  CHECK_EQUAL(slots.size(), 4U);
  CHECK_EQUAL(slots.num_used(), 4);
}

TEST("slots/numbers that stand for nothing are never given") {
  Slots<Thing, std::int32_t> slots(2);
  CHECK_EQUAL(slots.add(), 2);
  CHECK_EQUAL(slots.num_used(), 1);
  slots.remove(2);
  CHECK_EQUAL(slots.num_used(), 0);
  slots.remove(2);
  CHECK_EQUAL(slots.num_used(), -1);
}

TEST("slots/a number that was given back is given again") {
  Slots<Thing, std::int32_t> slots(2);
  slots.remove(slots.add());
  CHECK_EQUAL(slots.add(), 2);
}

TEST("slots/used slots are visited by number") {
  Slots<Thing, std::int32_t> slots(1);
  for (int i = 1; i <= 4; ++i) slots[slots.add()].value = 10 * i;
  slots.remove(3);
  slots.remove(1);
  std::vector<int> seen;
  slots.for_each([&](std::int32_t number, const Thing& thing) {
    seen.push_back(number);
    seen.push_back(thing.value);
  });
  CHECK(seen == std::vector<int>({2, 20, 4, 40}));
}

}  // namespace
}  // namespace odonata::tests::slots_test
