// The acts of a run, kept by rank.
#include "odonata/mpi/acts.hpp"

#include <cstdint>

#include "check.hpp"

namespace odonata::tests::acts_test {
namespace {

using Kind = Act::Kind;

bool same(const Act& a, const Act& b) {
  return a.kind == b.kind && a.value == b.value && a.peer == b.peer && a.tag == b.tag &&
         a.context == b.context;
}

TEST("acts/each rank numbers its own acts, whatever the others do meanwhile") {
  const std::int64_t large = (std::int64_t{1} << 62) + 12'345;
  Acts acts(true);
  CHECK_EQUAL(acts.add(3, {Kind::work, 0, 0, 0, large}).number, 0U);
  CHECK_EQUAL(acts.add(0, {Kind::receive, -1, -1, 1, 8}).number, 0U);
  const ActId send = acts.add(3, {Kind::send, 7, -1, 2, 8});
  CHECK_EQUAL(send.rank, 3);
  CHECK_EQUAL(send.number, 1U);
  acts.need(send);
  CHECK_EQUAL(acts.by_rank().size(), std::size_t{4});
  CHECK_EQUAL(acts.by_rank()[0].size(), std::size_t{1});
  CHECK(same(acts.by_rank()[3][0], {Kind::work, 0, 0, 0, large}));
  CHECK(same(acts.by_rank()[3][1], {Kind::send, 7, -1, 2, 8}));
  CHECK(same(acts.by_rank()[3][2], {Kind::need, 0, 0, 0, 1}));
}

TEST("acts/a receive that is settled or taken back changes alone") {
  Acts acts(true);
  const Act any{Kind::receive, -1, -1, 0, 8};
  acts.add(1, any);
  const ActId second = acts.add(1, any), third = acts.add(1, any);
  acts.settle(second, 6, 9);
  acts.withdraw(third);
  CHECK(same(acts.by_rank()[1][0], any));
  CHECK(same(acts.by_rank()[1][1], {Kind::receive, 6, 9, 0, 8}));
  CHECK(acts.by_rank()[1][2].kind == Kind::nothing);
}

TEST("acts/none are kept where there are too many") {
  Acts acts(true, 10);
  ActId last;
  for (int i = 0; i < 10; ++i) last = acts.add(i % 3, {Kind::send, 1, 2, 3, 8});
  CHECK(acts.keeps());
  CHECK_EQUAL(acts.add(0, {Kind::send, 1, 2, 3, 8}).rank, -1);
  CHECK(!acts.keeps());
  acts.need(last);
  acts.settle(last, 1, 1);
  acts.withdraw(last);
  CHECK(acts.by_rank().empty());
}

}  // namespace
}  // namespace odonata::tests::acts_test
