// Additions that are kept are made, each once.
#include "odonata/explain/additions.hpp"

#include <array>

#include "check.hpp"

namespace odonata::tests::explain_additions_test {

TEST("additions/every sum is right when they are settled, however many there were") {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, Additions::at_a_time - 1,
                                  Additions::at_a_time, 3 * Additions::at_a_time + 7}) {
    Additions additions;
    std::array<Time, 5> sums{}, expected{};
    for (std::size_t i = 0; i < count; ++i) {
      const auto time = static_cast<Time>(i * i);
      additions.add(sums[i % 5], time);
      expected[i % 5] += time;
    }
    additions.settle();
    CHECK(sums == expected);
    additions.settle();
    CHECK(sums == expected);
  }
}

TEST("additions/those that are kept are made when there is room for no more") {
  Additions additions;
  Time sum = 0, other = 0;
  for (std::size_t i = 0; i + 1 < Additions::at_a_time; ++i) {
    additions.add(sum, 2);
    additions.add(other, 0);  // takes no place
  }
  CHECK_EQUAL(sum, 0);
  additions.add(sum, 3);
  CHECK_EQUAL(sum, 2 * static_cast<Time>(Additions::at_a_time - 1) + 3);
  CHECK_EQUAL(other, 0);
}

}  // namespace odonata::tests::explain_additions_test
