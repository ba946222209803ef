// Words as runs: a round trip keeps them, and words that are no run or too long are refused.
#include "odonata/trace/runs.hpp"

#include <numeric>

#include "check.hpp"

namespace odonata::trace::tests::runs_test {

using Words = std::vector<std::uint64_t>;

namespace {

Words counting(std::size_t size, std::uint64_t first, std::uint64_t step) {
  Words words(size);
  for (std::size_t i = 0; i < size; ++i) words[i] = first + i * step;
  return words;
}

}  // namespace

TEST("runs/ranks of a world, of a column and in reverse are one run") {
  CHECK(runs_of(counting(4096, 0, 1)) == (Words{0, 1, 4096}));
  CHECK(runs_of(counting(64, 5, 64)) == (Words{5, 64, 64}));
  CHECK(runs_of(counting(100, 99, ~0ULL)) == (Words{99, ~0ULL, 100}));
  CHECK(runs_of(Words(1000, 7)) == (Words{7, 0, 1000}));
}

TEST("runs/all words come out again") {
  Words words = counting(200, 3, 2);
  for (const std::uint64_t word : counting(150, 0, 1)) words.push_back(word);
  words.push_back(~0ULL);
  const Words runs = runs_of(words);
  CHECK_EQUAL(runs.size(), 9U);
  CHECK(words_of(runs, words.size()) == words);
}

TEST("runs/few words and words without order stay as they are") {
  CHECK(runs_of(counting(63, 0, 1)).empty());
  CHECK(runs_of({}).empty());
  Words words = counting(1000, 0, 1);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i * i % 997;
  CHECK(runs_of(words).empty());
}

TEST("runs/words that are no run, or too many, are refused before memory is taken") {
  CHECK(!words_of(Words{1, 2}, 100));
  CHECK(!words_of(Words{0, 1, 101}, 100));
  CHECK(!words_of(Words{0, 1, 60, 0, 1, 41}, 100));
  CHECK(!words_of(Words{0, 1, 1, 0, 1, ~0ULL}, 100));
  CHECK(words_of(Words{0, 1, 60, 0, 1, 40}, 100).has_value());
}

}  // namespace odonata::trace::tests::runs_test
