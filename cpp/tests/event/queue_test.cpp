#include "odonata/event/queue.hpp"

#include <set>

#include "check.hpp"
#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::queue_test {

namespace {

using Model = std::multiset<std::pair<Time, std::uint64_t>>;

Event pop_both(EventQueue& queue, Model& model) {
  const Event event = queue.pop();
  CHECK_EQUAL(event.time, model.begin()->first);
  CHECK_EQUAL(event.key, model.begin()->second);
  model.erase(model.begin());
  return event;
}

// Pushes and pops at random, gaps from `least` to `most` ps, against an ordered multiset.
void compare(std::uint64_t seed, Time most, int crowd, bool shuffled) {
  EventQueue queue;
  if (shuffled) queue.shuffle_insertions(seed);
  Model model;
  const Draws draws(seed, Purpose::shuffle, 1);
  Time now = 0;
  std::uint64_t drawn = 0;
  for (int step = 0; step < 20'000; ++step) {
    const bool push = model.empty() || static_cast<int>(draws.below(drawn++, 100)) < 50;
    if (!push || static_cast<int>(model.size()) > crowd) {
      now = pop_both(queue, model).time;
      continue;
    }
    const auto gap = static_cast<Time>(draws.real(drawn++) * static_cast<double>(most));
    const std::uint64_t key = draws.below(drawn++, 1000);
    queue.push(now + gap, key);
    model.insert({now + gap, key});
  }
  while (!queue.empty()) pop_both(queue, model);
  CHECK(model.empty());
}

}  // namespace

TEST("queue/events come in the order of time then key") {
  for (const Time most : {Time{0}, Time{5}, Time{1'000}, Time{5'000'000}, Time{1} << 40})
    for (const int crowd : {3, 300, 10'000}) compare(7, most, crowd, false);
}

TEST("queue/the order of insertion does not matter") {
  for (std::uint64_t seed = 1; seed < 6; ++seed) compare(seed, 2'000, 500, true);
}

TEST("queue/equal times resolve by kind then entity") {
  EventQueue queue;
  queue.push(5, key_of(Kind::wake, 1));
  queue.push(5, key_of(Kind::arrive, 9));
  queue.push(5, key_of(Kind::arrive, 2));
  queue.push(4, key_of(Kind::sample, 0));
  CHECK(kind_of(queue.pop().key) == Kind::sample);
  CHECK_EQUAL(slot_of(queue.pop().key), 2U);
  CHECK_EQUAL(slot_of(queue.pop().key), 9U);
  CHECK(kind_of(queue.pop().key) == Kind::wake);
  CHECK(queue.empty());
}

TEST("queue/the next events are known before the last of their bucket is popped") {
  EventQueue queue;
  const Draws draws(11, Purpose::shuffle, 0);
  for (std::uint64_t i = 0; i < 5'000; ++i)
    queue.push(draws.below(i, 200'000), i);  // [ps] 25 in a bucket of 1,024 ps
  while (queue.size() > 100) {
    queue.pop();
    const Event* next = queue.upcoming();
    CHECK(next != nullptr);
    const Event expected = next[7];
    for (int i = 0; i < 7; ++i) queue.pop();
    CHECK(queue.pop() == expected);
  }
}

// More than a bucket sorts by comparing, in instants of their own and beside single events.
TEST("queue/many events of one time come in the order of their keys") {
  EventQueue queue;
  Model model;
  const Draws draws(5, Purpose::shuffle, 0);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const bool crowd = draws.below(2 * i, 4) != 0;
    const Time time = crowd ? 700 : draws.below(2 * i + 1, 3'000);
    const std::uint64_t key = draws.bits(2 * i + 1);
    queue.push(time, key);
    model.insert({time, key});
  }
  while (!queue.empty()) pop_both(queue, model);
}

TEST("queue/no event is later than times that can be added up") {
  EventQueue queue;
  queue.push(latest, 1);
  CHECK_THROWS(UserError, queue.push(latest + 1, 2));
  CHECK_THROWS(UserError, queue.push(never, 2));
  CHECK_EQUAL(queue.pop().time, latest);
}

}  // namespace odonata::tests::queue_test
