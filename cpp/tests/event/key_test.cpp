#include "odonata/event/key.hpp"

#include "check.hpp"

namespace odonata::tests::key_test {

TEST("key/the owner decides before the number, and both before the slot") {
  const Identities nodes(5);  // three bits
  CHECK(nodes.entity(1, 9, 7) < nodes.entity(2, 0, 0));
  CHECK(nodes.entity(1, 9, 7) < nodes.entity(1, 10, 0));
  CHECK(nodes.entity(1, 9, 7) < nodes.entity(1, 9, 8));
}

TEST("key/the kind decides before the entity, and all of it is found again") {
  const Identities nodes(1U << 22);
  const std::uint64_t largest = nodes.entity((1 << 22) - 1, (1 << 13) - 1, most_slots - 1);
  CHECK_EQUAL(largest, (std::uint64_t{1} << 61) - 1);
  CHECK(key_of(Kind::arrive, largest) < key_of(Kind::deliver, 0));
  const std::uint64_t key = key_of(Kind::step, nodes.entity(3, 5, 1234));
  CHECK(kind_of(key) == Kind::step);
  CHECK_EQUAL(slot_of(key), 1234U);
  CHECK_EQUAL(nodes.number_of(key), 5U);
}

TEST("key/numbers begin again where the owners leave no more bits, and pass over 0") {
  const Identities nodes(1U << 30);  // five bits are left
  CHECK_EQUAL(nodes.entity(2, 33, 0), nodes.entity(2, 1, 0));
  std::uint32_t number = 31;
  CHECK_EQUAL(nodes.next(number), 33U);
  CHECK_EQUAL(nodes.next(number), 34U);
  CHECK_EQUAL(Identities(1).entity(0, std::uint64_t{1} << 35, 0), 0U);
}

}  // namespace odonata::tests::key_test
