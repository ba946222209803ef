// Distances, numbers and trees of Bine butterflies, computed by hand.
#include "check.hpp"
#include "odonata/workload/bine.hpp"

namespace odonata::tests::bine_test {
namespace {

TEST("bine/distances are 1, -1, 3, -5, 11") {
  std::vector<int> even, odd;
  for (int step = 0; step < 5; ++step) {
    even.push_back(bine::partner(10, step, 32));
    odd.push_back(bine::partner(11, step, 32));
  }
  CHECK(even == (std::vector<int>{11, 9, 13, 5, 21}));
  CHECK(odd == (std::vector<int>{10, 12, 8, 16, 0}));
}

TEST("bine/partners are mutual at every even count") {
  for (int n = 2; n <= 64; n += 2)
    for (int step = 0; step < bine::steps(n); ++step)
      for (int r = 0; r < n; ++r) CHECK_EQUAL(bine::partner(bine::partner(r, step, n), step, n), r);
}

// Digits in base -2, highest first: 0 000, 1 001, 2 = -(-2) 010 as -2, 3 111, -4 as 4 100, ...
TEST("bine/numbers of eight ranks") {
  const bine::Numbers numbers(8);
  CHECK(numbers.of == (std::vector<int>{0, 4, 6, 1, 3, 7, 5, 2}));
  CHECK(numbers.rank == (std::vector<int>{0, 3, 7, 4, 1, 6, 2, 5}));
}

// The k-th step of growing distances joins numbers that differ in the k-th highest bit, and agree
// above it.
TEST("bine/partners have numbers in neighbouring windows") {
  for (int n = 2; n <= 256; n *= 2)
    for (int step = 0, count = n / 2; count > 0; ++step, count /= 2)
      for (int r = 0; r < n; ++r) {
        const int mine = bine::window(bine::number(r, n), count);
        CHECK_EQUAL(bine::window(bine::number(bine::partner(r, step, n), n), count), mine ^ count);
      }
}

// From rank 0 of eight: growing, +1, then 0 - 1 and 1 + 1, then +-3; falling, +3, then -1 and +1.
TEST("bine/trees of eight ranks") {
  std::vector<int> growing, falling;
  for (int r = 0; r < 8; ++r) {
    growing.push_back(bine::reached_growing(r, 8));
    falling.push_back(bine::reached_falling(r, 8));
  }
  CHECK(growing == (std::vector<int>{-1, 0, 1, 2, 2, 2, 2, 1}));
  CHECK(falling == (std::vector<int>{3, 0, 0, 2, 1, 0, 0, 1}));
}

TEST("bine/every rank is reached from one that was") {
  for (int n = 2; n <= 256; n *= 2)
    for (int r = 1; r < n; ++r) {
      const int growing = bine::reached_growing(r, n), falling = bine::reached_falling(r, n);
      CHECK(bine::reached_growing(bine::partner(r, growing, n), n) < growing);
      CHECK(bine::reached_falling(bine::partner(r, falling, n), n) > falling);
    }
}

// Rank 3 of eight: an odd one gets the block below, two above, four below.
TEST("bine/a stretch grows to both sides") {
  bine::Stretch has{8, 3};
  has.extend();
  CHECK_EQUAL(has.first, 2);
  has.extend();
  CHECK_EQUAL(has.first, 2);
  CHECK_EQUAL(has.count, 4);
  has.extend();
  CHECK_EQUAL(has.first, 6);
  CHECK_EQUAL(has.count, 8);
}

}  // namespace
}  // namespace odonata::tests::bine_test
