// Passages in a ring: who looks finds the latest that he knows.
#include "odonata/engine/passages.hpp"

#include "check.hpp"

namespace odonata::tests::passages_test {

TEST("passages/4 up to the one that is known are found, as long as 2 more have come") {
  Passages passages(1, 4, 2);
  for (std::uint32_t number = 1; number <= 40; ++number) {
    CHECK(passages.add({number, number, 0, 0, 0, 0, 0}, number - 1) == number);
    for (std::uint32_t known = number < 3 ? 1 : number - 2; known <= number; ++known) {
      for (std::uint32_t i = known < 4 ? 1 : known - 3; i <= known; ++i) {
        const Passage* found = passages.find(i, known);
        CHECK(found != nullptr);
        if (found == nullptr) continue;
        CHECK_EQUAL(found->start, i);
        if (i < number) CHECK_EQUAL(found->after, i + 1);
      }
      CHECK(passages.find(known + 1, known) == nullptr);
      CHECK(known < 4 || passages.find(known - 4, known) == nullptr);
    }
  }
}

TEST("passages/a ring that grows keeps what it has, and finds nothing that it has forgotten") {
  for (const std::uint32_t before : {3U, 11U, 14U}) {  // it has not come round, or has
    Passages passages(1, 4, 2);
    for (std::uint32_t number = 1; number <= before; ++number)
      passages.add({number, number, 0, 0, 0, 0, 0}, number - 1);
    passages.remember(2);
    CHECK_EQUAL(passages.spare(), std::size_t{2});
    passages.remember(3);
    CHECK_EQUAL(passages.spare(), std::size_t{4});
    const std::uint32_t oldest = before < 6 ? 1 : before - 5;
    for (std::uint32_t number = before + 1; number <= before + 30; ++number) {
      passages.add({number, number, 0, 0, 0, 0, 0}, number - 1);
      for (std::uint32_t i = number < 8 ? 1 : number - 7; i <= number; ++i) {
        const Passage* found = passages.find(i, number);
        CHECK((found != nullptr) == (i >= oldest));
        if (found == nullptr) continue;
        CHECK_EQUAL(found->start, i);
        if (i < number) CHECK_EQUAL(found->after, i + 1);
      }
    }
  }
}

TEST("passages/a packet whose passage was forgotten before the ring grew has none before") {
  Passages passages(1, 4, 2);
  for (std::uint32_t number = 1; number <= 14; ++number)
    passages.add({number, number, 0, 0, 0, 0, 0}, number - 1);
  passages.remember(3);
  passages.add({15, 15, 0, 0, 0, 0, 0}, 8);  // of which it knows 9 to 14
  const Passage* found = passages.find(15, 15);
  CHECK(found != nullptr && passages.find(found->before, 15) == nullptr);
  for (std::uint32_t number = 9; number <= 14; ++number) {
    const Passage* known = passages.find(number, 15);
    CHECK(known != nullptr && known->after == (number < 14 ? number + 1 : Passage::none));
  }
}

}  // namespace odonata::tests::passages_test
