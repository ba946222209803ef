// The acts of a run, kept in few bytes.
#include "odonata/mpi/acts.hpp"

#include <cstdint>

#include "check.hpp"

namespace odonata::tests::acts_test {
namespace {

using Kind = Act::Kind;

bool same(const Act& a, const Act& b) {
  return a.kind == b.kind && a.rank == b.rank && a.value == b.value && a.peer == b.peer &&
         a.tag == b.tag && a.context == b.context;
}

TEST("acts/each comes back as it was added") {
  const std::int64_t large = (std::int64_t{1} << 62) + 12'345;
  const Act added[] = {{Kind::work, 3, large},
                       {Kind::send, ActList::most_ranks - 1, 8, 7, -1, 2},
                       {Kind::receive, 0, large, -1, -1, 1},
                       {Kind::need, 0, 2},
                       {Kind::rest, 5}};
  ActList acts;
  for (const Act& act : added) acts.add(act);
  CHECK_EQUAL(acts.size(), std::size_t{5});
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(same(acts[i], added[i]));
}

TEST("acts/equal acts share all but eight bytes") {
  ActList acts;
  acts.add({Kind::send, 0, 8, 1, 2, 3});
  const std::size_t one = acts.bytes();
  for (int i = 0; i < 1000; ++i) acts.add({Kind::send, i, 8, 1, 2, 3});
  CHECK_EQUAL(acts.bytes() - one, std::size_t{8000});
}

TEST("acts/a receive that is settled or taken back changes alone") {
  ActList acts;
  for (int i = 0; i < 3; ++i) acts.add({Kind::receive, i, 8, -1, -1, 0});
  acts.settle(1, 6, 9);
  acts.withdraw(2);
  CHECK(same(acts[0], {Kind::receive, 0, 8, -1, -1, 0}));
  CHECK(same(acts[1], {Kind::receive, 1, 8, 6, 9, 0}));
  CHECK(acts[2].kind == Kind::nothing);
  CHECK_EQUAL(acts[2].rank, 2);
}

TEST("acts/a thousand kinds of messages come back, though the table of them has collisions") {
  ActList acts;
  const auto act = [](int i) {
    return Act{Kind::send, i % 50, 8 * (i % 9'000), i % 6'000, i % 70, i % 3};
  };
  for (int i = 0; i < 200'000; ++i) acts.add(act(i));
  for (int i = 0; i < 200'000; ++i) CHECK(same(acts[static_cast<std::uint32_t>(i)], act(i)));
}

TEST("acts/none are kept beyond their bytes") {
  Acts acts(true, 20 * 1024);
  std::uint32_t number = 0;
  for (int i = 0; i < 10'000; ++i) number = acts.add({Kind::send, 0, 8, 1, 2, 3});
  CHECK(acts.record() == nullptr);
  CHECK_EQUAL(number, Acts::none);
  acts.need(3);
  acts.settle(3, 1, 1);
  acts.withdraw(3);
}

}  // namespace
}  // namespace odonata::tests::acts_test
