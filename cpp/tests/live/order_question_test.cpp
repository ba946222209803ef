#include "odonata/live/order_question.hpp"

#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::order_question_test {

using live::OrderQuestion;

namespace {

OrderQuestion example() {
  return {.function = 7,
          .size = 3,
          .members = {5, 0, 4, 2},
          .grid = {3},
          .edges = {{0, 2, 9}, {1, 0, 0}}};
}

bool refused(std::vector<std::int32_t> words, int num_ranks = 6) {
  try {
    static_cast<void>(live::decode_question(words, num_ranks));
  } catch (const InternalError&) {
    return true;
  }
  return false;
}

}  // namespace

TEST("order question/it comes back whole") {
  const OrderQuestion asked = example();
  const OrderQuestion found = live::decode_question(live::encode(asked), 6);
  CHECK_EQUAL(found.function, 7);
  CHECK_EQUAL(found.size, 3);
  CHECK(found.members == asked.members);
  CHECK(found.grid == asked.grid);
  CHECK_EQUAL(found.edges.size(), 2U);
  CHECK_EQUAL(found.edges[0].to, 2);
  CHECK_EQUAL(found.edges[0].weight, 9);
  CHECK_EQUAL(found.edges[1].from, 1);
}

TEST("order question/wrong words are refused") {
  const std::vector<std::int32_t> words = live::encode(example());
  CHECK(!refused(words));
  CHECK(refused(words, 5));  // member 5
  CHECK(refused({}));
  CHECK(refused({7, 3, 4}));
  for (std::size_t place = 1; place < 5; ++place) {
    std::vector<std::int32_t> changed = words;
    changed[place] = -1;
    CHECK(refused(changed));
    changed[place] = words[place] + 2;
    CHECK(refused(changed));
  }
  for (const std::size_t place : {10U, 11U, 12U}) {  // the first edge
    std::vector<std::int32_t> changed = words;
    changed[place] = -1;
    CHECK(refused(changed));
  }
}

}  // namespace odonata::tests::order_question_test
