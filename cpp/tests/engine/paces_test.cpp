// Which paces are told, and when: passages of one link, of which 4 are known and 2 more are kept.
#include "odonata/engine/paces.hpp"

#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::paces_test {
namespace {

constexpr std::uint32_t none = Paces::none;

Machine one_link() {
  Machine machine;
  machine.classes = {{"node", {25'000'000'000'000}, 10, 4000, 7}};
  machine.node_router = {0, 0};
  machine.links = {{0, 0, 0}};
  return machine;
}

struct Told {
  Machine machine = one_link();
  Passages passages{1, 4, 2};
  Paces paces{machine, passages};
  Time time = 0;  // [ps]

  // A passage of 40 ps on the link, which follows the one before.
  std::uint64_t pass() {
    const Time begin = time;
    time += 40;
    const std::uint64_t number = passages.add({begin, time, 0, 0, 0, 0, 0}, Passage::none);
    paces.keep_up();
    return number;
  }
  // A message whose last packet has just passed, and which was handed over `before_it` earlier.
  void add(std::uint32_t number, std::uint32_t before, Time before_it = 0) {
    const std::uint64_t last = pass();
    const Time begin = time - 40 - before_it;
    paces.add(number, before, Paced{last, passages.latest(), begin, begin, false, false, false});
  }
  Time told(std::uint32_t number) const {
    Time sum = 0;
    for (const Piece& piece : paces.of(number)) sum += piece.time();
    return sum;
  }
};

}  // namespace

TEST("paces/what nobody holds is not told") {
  Told all;
  all.add(0, none);
  all.paces.release(0);
  all.add(1, none);
  all.paces.close();
  CHECK(all.paces.num_told() == 1);
  CHECK(all.told(1) == 40);
  CHECK_THROWS(InternalError, all.paces.of(0));
}

TEST("paces/a message is held by those that come after it") {
  Told all;
  all.add(0, none);
  all.add(1, 0);
  all.add(2, 1);
  all.paces.release(0);
  all.paces.release(1);
  all.add(3, none);
  all.paces.release(3);
  all.paces.close();
  CHECK(all.paces.num_told() == 3);
}

TEST("paces/a message that is let go lets go of those before it") {
  Told all;
  all.add(0, none);
  all.add(1, 0);
  all.paces.release(0);
  all.paces.release(1);
  all.paces.close();
  CHECK(all.paces.num_told() == 0);
}

TEST("paces/what is held is told before its passages are forgotten") {
  Told all;
  for (int i = 0; i < 3; ++i) all.pass();
  all.add(5, none, 120);  // over all four passages
  all.pass();
  CHECK(all.paces.num_told() == 0);
  all.pass();
  CHECK(all.paces.num_told() == 1);
  for (int i = 0; i < 8; ++i) all.pass();
  CHECK(all.told(5) == 160);
  all.paces.hold(5);  // and released, which changes nothing
  all.paces.release(5);
  all.paces.release(none);
}

TEST("paces/the message that was added last is taken back, told or not") {
  Told all;
  all.add(0, none);
  all.add(1, none);
  all.paces.take_back(1);
  all.add(1, none, 40);
  all.pass();
  all.pass();
  CHECK(all.paces.num_told() == 2);
  all.paces.take_back(1);
  all.add(1, none);
  all.paces.close();
  CHECK(all.told(1) == 40);
}

TEST("paces/many messages are kept") {
  Told all;
  all.pass();
  for (std::uint32_t i = 7; i < 307; ++i)
    all.paces.add(i, i == 7 ? none : i - 1, Paced{1, 1, 0, 0, false, false, false});
  for (std::uint32_t i = 7; i < 306; ++i) all.paces.release(i);
  all.paces.close();
  CHECK(all.paces.num_told() == 300);
  CHECK(all.told(7) == 40);
}

}  // namespace odonata::tests::paces_test
