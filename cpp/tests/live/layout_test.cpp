#include "check.hpp"
#include "odonata/live/layout.hpp"

namespace odonata::tests::layout_test {

using odonata::live::SharedWaiting;
using odonata::live::Waiting;

TEST("layout/what a rank waits for comes back whole") {
  SharedWaiting shared;
  shared.store({.function = 7, .answer = 1, .peer = -3, .tag = 42, .comm = 9});
  const Waiting found = shared.load();
  CHECK_EQUAL(found.function, 7);
  CHECK_EQUAL(found.answer, 1);
  CHECK_EQUAL(found.peer, -3);
  CHECK_EQUAL(found.tag, 42);
  CHECK_EQUAL(found.comm, 9U);
}

}  // namespace odonata::tests::layout_test
