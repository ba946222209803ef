// Lookahead that the player gives to ranks that ask again and again: times that can be computed by
// hand.
#include "calls.hpp"
#include "check.hpp"

namespace odonata::tests::lookahead_test {
namespace {

using trace::nobody;
using trace::Op;

constexpr int enough = 16;  // questions right after another one, until ranks have lookahead

PlayOptions with_lookahead() {
  PlayOptions options;
  options.lookahead = true;
  options.poll = 10;
  return options;
}

MpiOptions with_overhead() {
  MpiOptions options;
  options.send_overhead = options.recv_overhead = 10;
  return options;
}

TEST("lookahead/begin when a rank asks again and again") {
  Script asks = Script().irecv(1, 1).compute(1);
  for (int i = 0; i <= enough; ++i) asks.clock();
  const Played p = play_calls({asks.wait(1), Script().compute(5).send(0, 10)}, with_overhead(),
                              with_lookahead());
  for (std::size_t i = 0; i < enough; ++i) CHECK_EQUAL(p.answer(0, i).quiet_until, 0);
  // The other rank continues at 5 ns, pays 10 ps, and nothing is faster than an empty message.
  CHECK_EQUAL(p.answer(0, enough).quiet_until, 5'000 + 10 + hop);
}

TEST("lookahead/local calls between questions change nothing, other calls do") {
  Script with_local = Script().irecv(1, 1).compute(1), with_send = with_local;
  for (int i = 0; i <= enough; ++i) {
    with_local.clock().add(Op::local, trace::Function::Comm_rank);
    with_send.clock().send(nobody, 0);
  }
  const Script other = Script().compute(5).send(0, 10);
  const Played local = play_calls({with_local.wait(1), other}, with_overhead(), with_lookahead());
  CHECK_EQUAL(local.answer(0, enough).quiet_until, 5'000 + 10 + hop);
  const Played sends = play_calls({with_send.wait(1), other}, with_overhead(), with_lookahead());
  CHECK_EQUAL(sends.answer(0, enough).quiet_until, 0);
}

TEST("lookahead/a rank without requests is undisturbed, unless data of a buffered send may leave") {
  Script asks;
  asks.clock().irecv(1, 1).clock().wait(1).clock();
  asks.icollective(2, trace::Collective::barrier, 0).clock().wait(2).clock();
  asks.send(1, 1'000'000, 0, trace::Mode::buffered).clock();
  Script other = Script().send(0, 10).icollective(1, trace::Collective::barrier, 0);
  const Played p = play_calls({asks, other.wait(1).recv(0)}, with_overhead(), with_lookahead());
  const std::vector<std::uint32_t> expected{1, 0, 1, 1, 0, 1, 1, 0};  // clocks and waits
  CHECK_EQUAL(p.source->answers.at(0).size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK_EQUAL(p.answer(0, i).undisturbed, expected[i]);
}

TEST("lookahead/know of messages that were under way when they began") {
  Script polls = Script().irecv(1, 1).compute(1);
  for (int i = 0; i < 2 * enough; ++i) polls.requests(Op::test, {1});
  polls.compute(9).requests(Op::test, {1});
  const Played p = play_calls({polls, Script().send(0, 4'000)}, with_overhead(), with_lookahead());
  for (std::size_t i = 0; i < 2 * enough; ++i) {
    CHECK_EQUAL(p.answer(0, i).now, 1'000 + 10 * static_cast<Time>(i + 1));
    CHECK(p.answer(0, i).quiet_until <= 10 + hop + 4'000);  // it arrives then
  }
  CHECK_EQUAL(p.answer(0, 2 * enough).flag, 1);
}

// A run of two ranks, of which the first polls for a message that the other sends after 90 ns.
struct Polling {
  std::size_t num_answers;
  Time end;  // [ps]
  std::int64_t num_events;
  RankPlay play;
};

Polling play_polls(Script polls) {
  PlayOptions options = with_lookahead();
  options.statistics = std::make_shared<PlayStatistics>();
  const auto source =
      std::make_shared<CallSource>(std::vector{std::move(polls), Script().compute(90).send(0, 10)});
  SimulationOptions how;
  how.engine.engine = "analytic";
  how.mpi = with_overhead();
  Simulation simulation(plain_machine(), how);
  simulation.add({{0, 1}, play(source, options)});
  simulation.run();
  return {source->answers[0].size(), simulation.world().finish_times(0)[0], simulation.num_events(),
          options.statistics->ranks[0]};
}

// Tests of 10 ps, each after a computation of 1 ns if it has an even number.
Script many_tests(int count, bool known) {
  Script calls = Script().irecv(1, 1);
  Time now = 0;
  for (int i = 0; i < count; ++i) {
    if (i % 2 == 0) calls.compute(1);
    calls.requests(Op::test, {1});
    now += 10 + (i % 2 == 0 ? 1'000 : 0);
    if (known) calls.known(now);
  }
  return calls.wait(1);
}

TEST("lookahead/tests that are known to find nothing are passed over, and counted") {
  const Polling each = play_polls(many_tests(5, false)), passed = play_polls(many_tests(5, true));
  CHECK_EQUAL(each.num_answers, 5U + 1);
  CHECK_EQUAL(passed.num_answers, 1U + 1);  // the last test is played
  CHECK_EQUAL(passed.end, 90'000 + 10 + hop + 10 + 10);
  CHECK_EQUAL(each.end, passed.end);
  CHECK_EQUAL(each.num_events, passed.num_events);
  const auto function = static_cast<std::size_t>(trace::Function::Waitall);
  CHECK_EQUAL(passed.play.calls.at(function), 5U);
  CHECK_EQUAL(passed.play.time[static_cast<std::size_t>(Op::test)], 5 * 10);
  CHECK_EQUAL(passed.play.compute, 3 * 1'000);
  CHECK(each.play.calls == passed.play.calls);
  CHECK(each.play.time == passed.play.time);
  CHECK_EQUAL(each.play.compute, passed.play.compute);
}

TEST("lookahead/a rank passes over at most 4,096 tests at a time") {
  Script calls = Script().irecv(1, 1);
  for (int i = 1; i <= 5'000; ++i) calls.requests(Op::test, {1}).known(10 * i);
  const Polling run = play_polls(calls.wait(1));
  CHECK_EQUAL(run.num_answers, 2U + 1);
  CHECK_EQUAL(run.play.time[static_cast<std::size_t>(Op::test)], 50'000);
  CHECK_EQUAL(run.end, 90'000 + 10 + hop + 10 + 10);
}

}  // namespace
}  // namespace odonata::tests::lookahead_test
