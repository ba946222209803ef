// Costs of many small messages: a NIC's gap, searched queues, requests that are waited for.
#include "../workload/calls.hpp"
#include "check.hpp"
#include "odonata/mpi/mailbox.hpp"

namespace odonata::tests::message_costs_test {
namespace {

using trace::Op;

Span bytes(Bytes n) { return {input, 0, n}; }

TEST("costs/a search passes what a list in the order of posting has before the match") {
  Mailbox box;
  for (std::uint32_t i = 0; i < 4; ++i)  // each receive searches a queue without messages
    CHECK_EQUAL(box.post({static_cast<std::int32_t>(i), 1, 0}, 10 + i).passed, 0U);
  CHECK_EQUAL(box.arrive({2, 1, 0}, 0).passed, 2U);
  CHECK_EQUAL(box.arrive({3, 1, 0}, 1).passed, 2U);  // the receive from rank 2 is gone
  CHECK_EQUAL(box.arrive({0, 1, 0}, 2).passed, 0U);
  CHECK_EQUAL(box.arrive({7, 1, 0}, 3).passed, 1U);  // unexpected: it has passed all
  CHECK_EQUAL(box.arrive({1, 1, 9}, 4).passed, 1U);  // of another communicator, in the same queue
  CHECK_EQUAL(box.arrive({8, 1, 0}, 5).passed, 1U);
  CHECK_EQUAL(box.post({8, 1, 0}, 20).passed, 2U);
  CHECK_EQUAL(box.post({9, 1, 0}, 21).passed, 2U);  // kept: it has passed all
  CHECK(box.withdraw(11));
  CHECK_EQUAL(box.arrive({9, 1, 0}, 6).passed, 0U);
  CHECK_EQUAL(box.post({any_source, any_tag, 9}, 22).passed, 1U);
  CHECK_EQUAL(*box.post({7, 1, 0}, 23), 3U);
  CHECK(box.empty());
}

MpiOptions searching() {
  MpiOptions mpi;
  mpi.recv_overhead = 20;
  mpi.search_per_entry = 7;
  return mpi;
}

TEST("costs/a message that is expected pays for the receives before its own") {
  std::vector<Time> seen;
  run(
      2,
      [&](Rank rank) -> Task {
        if (rank.index() == 1) {
          for (const int tag : {2, 0, 1}) {
            co_await rank.compute(5'000);
            co_await rank.send(0, bytes(0), tag);
          }
          co_return;
        }
        std::vector<Request> all;
        for (int tag = 0; tag < 3; ++tag) all.push_back(rank.irecv(1, bytes(0), tag));
        co_await rank.complete_any(all);
        seen.push_back(rank.now());
        for (const Request one : all) co_await rank.wait(one);
        seen.push_back(rank.now());
      },
      searching());
  // Tag 2 comes first and passes two receives, tags 0 and 1 pass none.
  CHECK_EQUAL(seen[0], 5'000 + hop + 2 * 7 + 20);
  CHECK_EQUAL(seen[1], 15'000 + hop + 20);
}

TEST("costs/unexpected messages and their receives pay for passed entries") {
  std::vector<Time> seen;
  run(
      2,
      [&](Rank rank) -> Task {
        if (rank.index() == 1) {
          for (int tag = 0; tag < 4; ++tag) rank.isend(0, bytes(0), tag);
          co_return;
        }
        const Request other = rank.irecv(1, bytes(0), 99);
        CHECK_EQUAL(rank.now(), 0);
        const Request another = rank.irecv(1, bytes(0), 98);
        co_await rank.compute(50'000);
        seen.push_back(rank.now());
        co_await rank.recv(1, bytes(0), 2);
        seen.push_back(rank.now());
        const Request nothing = rank.irecv(1, bytes(0), 97);
        seen.push_back(rank.now());
        for (const Request one : {other, another, nothing}) CHECK(rank.cancel(one));
        for (const int tag : {0, 1, 3}) co_await rank.recv(1, bytes(0), tag);
        seen.push_back(rank.now());
      },
      searching());
  const Time arrived = 50'000 + 4 * 2 * 7;  // each passes two receives while the rank computes
  CHECK_EQUAL(seen[0], arrived);
  CHECK_EQUAL(seen[1], arrived + 2 * 7 + 20);
  CHECK_EQUAL(seen[2], seen[1] + 3 * 7);
  CHECK_EQUAL(seen[3], seen[2] + 3 * 20);
}

TEST("costs/a wait pays for each request, blocking calls pay for none") {
  MpiOptions mpi;
  mpi.wait_per_request = 9;
  const auto ends = run(
      2,
      [&](Rank rank) -> Task {
        const int other = 1 - rank.index();
        co_await rank.sendrecv(other, bytes(100), other, bytes(100));
        if (rank.index() == 0) co_return;
        std::vector<Request> done;
        for (int i = 0; i < 5; ++i) done.push_back(rank.isend(1, bytes(0)));
        for (int i = 0; i < 5; ++i) done.push_back(rank.irecv(1, bytes(0)));
        co_await rank.wait_all(done);
        co_await rank.wait(rank.isend(0, bytes(0)));
      },
      mpi);
  CHECK_EQUAL(ends[0], hop + 100);
  CHECK_EQUAL(ends[1], hop + 100 + 10 * 9 + 9);
}

// Ends of the calls of rank 0, where a request that is looked at costs 9 ps and a poll 400 ps.
TEST("costs/waits and tests of a program pay for the requests in their lists") {
  MpiOptions mpi;
  mpi.wait_per_request = 9;
  PlayOptions options;
  options.poll = 400;
  Script calls = Script().irecv(1, 1, 1).irecv(2, 1, 2).irecv(3, 1, 3).irecv(4, 1, 4);
  calls.requests(Op::test_any, {1, 2, 3, 4})
      .requests(Op::test, {trace::no_request, 2})
      .compute(3)
      .requests(Op::test_some, {1, 2})
      .requests(Op::wait_any, {3, 4})
      .requests(Op::wait, {trace::no_request, 4});
  Script sends;
  for (int tag = 1; tag <= 4; ++tag) sends.send(0, 0, tag);
  const Played p = play_calls({calls, sends}, mpi, options);
  CHECK_EQUAL(p.answer(0, 0).now, 400 + 4 * 9);
  CHECK_EQUAL(p.answer(0, 1).now, 2 * 400 + 5 * 9);
  const Time found = 2 * 400 + 5 * 9 + 3'000;
  CHECK_EQUAL(p.answer(0, 2).now, found + 2 * 9);
  CHECK_EQUAL(p.answer(0, 3).now, found + 4 * 9);
  CHECK_EQUAL(p.answer(0, 4).now, found + 5 * 9);
}

TEST("costs/a wait may begin to look before the message is there") {
  MpiOptions mpi;
  mpi.wait_per_request = 300;
  const Played p = play_calls(
      {Script().irecv(1, 1).irecv(2, 1).wait(1).wait(2), Script().send(0, 0).send(0, 0)}, mpi);
  CHECK_EQUAL(p.answer(0, 0).now, hop);  // it has looked meanwhile
  CHECK_EQUAL(p.answer(0, 1).now, hop + 300);
}

// Two ranks on one node send two messages each to the other node.
std::vector<Time> delivered(const char* engine, Time gap, Bytes size, Bytes packet = 1024) {
  SimulationOptions options;
  options.engine.engine = engine;
  options.engine.packet_bytes = packet;
  options.engine.message_gap = gap;
  Simulation simulation(plain_machine(), options);
  const Program program = [size](Rank rank) -> Task {
    for (int i = 0; i < 2; ++i)
      if (rank.index() < 2)
        rank.isend(2, bytes(size));
      else
        for (const int source : {0, 1}) co_await rank.recv(source, bytes(size));
  };
  JobSpec job{{0, 0, 1}, program};
  job.record_messages = true;
  simulation.add(job);
  simulation.run();
  std::vector<Time> out;
  for (const MessageRecord& one : simulation.world().statistics(0).records)
    out.push_back(one.delivered);
  return out;
}

TEST("costs/messages of a node start a gap apart, whichever rank sends them") {
  for (const char* engine : {"packet", "analytic"}) {
    const std::vector<Time> apart = {hop, hop + 300, hop + 600, hop + 900};
    CHECK(delivered(engine, 300, 0) == apart);
    CHECK(delivered(engine, 0, 0) == std::vector<Time>(4, hop));
    // Its 400 bytes take longer than the gap.
    CHECK_EQUAL(delivered(engine, 300, 400).back(), hop + 4 * 400);
    CHECK_EQUAL(delivered(engine, 500, 400).back(), hop + 3 * 500 + 400);
    // The packets of a message have no gap between them.
    CHECK_EQUAL(delivered(engine, 500, 400, 100).back(), hop + 3 * 500 + 400);
    CHECK_EQUAL(delivered(engine, 300, 400, 100).back(), hop + 4 * 400);
  }
}

TEST("costs/a message has left its node at the end of its bytes, not of the gap") {
  for (const char* engine : {"packet", "analytic"}) {
    SimulationOptions options;
    options.engine.engine = engine;
    options.engine.message_gap = 5'000;
    options.mpi.eager_threshold = 0;
    Simulation simulation(plain_machine(), options);
    simulation.add({{0, 1}, [](Rank rank) -> Task {
                      if (rank.index() == 0) co_await rank.send(1, bytes(100));
                      if (rank.index() == 1) co_await rank.recv(0, bytes(100));
                    }});
    simulation.run();
    // The request goes at 0 and the answer is back at 2 hops: the data have to wait for the gap.
    CHECK_EQUAL(simulation.world().finish_times(0)[0], 5'000 + 100);
    CHECK_EQUAL(simulation.world().finish_times(0)[1], 5'000 + hop + 100);
  }
}

}  // namespace
}  // namespace odonata::tests::message_costs_test
