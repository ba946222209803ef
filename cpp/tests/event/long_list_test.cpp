// Lists that grow and never move.
#include "odonata/event/long_list.hpp"

#include <cstdint>

#include "check.hpp"

namespace odonata::tests::long_list_test {
namespace {

using List = LongList<std::uint64_t>;

List counted(std::size_t size) {
  List list;
  for (std::size_t i = 0; i < size; ++i) list.push_back(i);
  return list;
}

TEST("long list/elements keep their order over the border of a block") {
  const List list = counted(List::in_a_block + 2);
  CHECK_EQUAL(list.size(), List::in_a_block + 2);
  std::size_t next = 0;
  for (const std::uint64_t element : list) CHECK_EQUAL(element, next++);
  CHECK_EQUAL(next, list.size());
  CHECK_EQUAL(list[List::in_a_block], List::in_a_block);
  CHECK_EQUAL(list.back(), List::in_a_block + 1);
}

TEST("long list/a list that shrinks over a border grows again") {
  List list = counted(List::in_a_block + 2);
  list.shrink(List::in_a_block - 1);
  for (const std::uint64_t element : {7U, 8U, 9U}) list.push_back(element);
  list.pop_back();
  CHECK_EQUAL(list.size(), List::in_a_block + 1);
  CHECK_EQUAL(list[List::in_a_block - 2], List::in_a_block - 2);
  CHECK_EQUAL(list[List::in_a_block - 1], 7U);
  CHECK_EQUAL(list.back(), 8U);
}

}  // namespace
}  // namespace odonata::tests::long_list_test
