// Promises of the player to ranks that ask again and again: times that can be computed by hand.
#include "calls.hpp"
#include "check.hpp"

namespace odonata::tests {
namespace {

using trace::nobody;
using trace::Op;

constexpr int enough = 16;  // questions right after another one, until ranks are promised

PlayOptions promising() {
  PlayOptions options;
  options.promises = true;
  options.poll = 10;
  return options;
}

MpiOptions with_overhead() {
  MpiOptions options;
  options.send_overhead = options.recv_overhead = 10;
  return options;
}

TEST("promises/begin when a rank asks again and again") {
  Calls asks = Calls().compute(1);
  for (int i = 0; i <= enough; ++i) asks.clock();
  const Played p = play_calls({asks, Calls().compute(5).send(0, 10)}, with_overhead(), promising());
  for (std::size_t i = 0; i < enough; ++i) CHECK_EQUAL(p.answer(0, i).quiet_until, 0);
  // The other rank goes on at 5 ns, pays 10 ps, and nothing is faster than an empty message.
  CHECK_EQUAL(p.answer(0, enough).quiet_until, 5'000 + 10 + hop);
}

TEST("promises/local calls between questions change nothing, other calls do") {
  Calls with_local = Calls().compute(1), with_send = Calls().compute(1);
  for (int i = 0; i <= enough; ++i) {
    with_local.clock().add(Op::local, trace::Function::Comm_rank);
    with_send.clock().send(nobody, 0);
  }
  const Calls other = Calls().compute(5).send(0, 10);
  const Played local = play_calls({with_local, other}, with_overhead(), promising());
  CHECK_EQUAL(local.answer(0, enough).quiet_until, 5'000 + 10 + hop);
  const Played sends = play_calls({with_send, other}, with_overhead(), promising());
  CHECK_EQUAL(sends.answer(0, enough).quiet_until, 0);
}

TEST("promises/know of messages that were under way when they began") {
  Calls polls = Calls().irecv(1, 1).compute(1);
  for (int i = 0; i < 2 * enough; ++i) polls.requests(Op::test, {1});
  polls.compute(9).requests(Op::test, {1});
  const Played p = play_calls({polls, Calls().send(0, 4'000)}, with_overhead(), promising());
  for (std::size_t i = 0; i < 2 * enough; ++i) {
    CHECK_EQUAL(p.answer(0, i).now, 1'000 + 10 * static_cast<Time>(i + 1));
    CHECK(p.answer(0, i).quiet_until <= 10 + hop + 4'000);  // it arrives then
  }
  CHECK_EQUAL(p.answer(0, 2 * enough).flag, 1);
}

}  // namespace
}  // namespace odonata::tests
