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

}  // namespace odonata::tests::passages_test
