// Calls of a program, played: times that can be computed by hand, and what ranks are told.
#include "calls.hpp"
#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::playback_test {
namespace {

using trace::any;
using trace::Collective;
using trace::nobody;
using trace::Op;

MpiOptions with_overheads() {
  MpiOptions o;
  o.send_overhead = 10;
  o.recv_overhead = 20;
  return o;
}

TEST("playback/a pingpong takes two overheads and a crossing each way") {
  const Played p = play_calls(
      {Script().send(1, 100).recv(1).clock(), Script().recv(0).send(0, 100)}, with_overheads());
  CHECK_EQUAL(p.answer(0, 1).now, 2 * (10 + hop + 100 + 20));
  CHECK_EQUAL(p.answer(1, 0).outcomes.at(0).bytes, 100);
  CHECK_EQUAL(p.answer(1, 0).outcomes.at(0).source, 0);
}

TEST("playback/compute time is scaled") {
  PlayOptions options;
  options.compute_scale = 2.5;
  options.statistics = std::make_shared<PlayStatistics>();
  const Played p =
      play_calls({Script().compute(4).clock().compute(2).send(nobody, 8)}, {}, options);
  CHECK_EQUAL(p.answer(0, 0).now, 10'000);
  CHECK_EQUAL(p.ends[0], 15'000);
  const RankPlay& rank = options.statistics->ranks.at(0);
  CHECK_EQUAL(rank.compute, 15'000);
  CHECK_EQUAL(rank.calls.at(static_cast<std::size_t>(trace::Function::Wtime)), 1U);
}

TEST("playback/a wait for any ends with the first arrival") {
  const Played p = play_calls({Script()
                                   .irecv(1, 1)
                                   .irecv(2, 2)
                                   .requests(Op::wait_any, {1, 2})
                                   .requests(Op::wait_any, {1})
                                   .irecv(2, nobody)
                                   .requests(Op::wait, {2}),
                               Script().compute(5).send(0, 10), Script().send(0, 30)});
  CHECK_EQUAL(p.answer(0, 0).now, hop + 30);
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(0).index, 1U);
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(0).source, 2);
  CHECK_EQUAL(p.answer(0, 1).now, 5'000 + hop + 10);
  CHECK_EQUAL(p.answer(0, 1).outcomes.at(0).source, 1);
  CHECK_EQUAL(p.answer(0, 2).outcomes.at(0).source, nobody);
}

TEST("playback/a wait for some takes all that are there") {
  const Played p =
      play_calls({Script()
                      .irecv(1, 1)
                      .irecv(2, 2)
                      .irecv(3, 1, 9)
                      .compute(4)
                      .requests(Op::wait_some, {1, 3, 2})
                      .wait(3),
                  Script().send(0, 10).compute(5).send(0, 10, 9), Script().send(0, 30)});
  CHECK_EQUAL(p.answer(0, 0).now, 4'000);
  CHECK_EQUAL(p.answer(0, 0).outcomes.size(), 2U);
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(1).index, 2U);
  CHECK_EQUAL(p.answer(0, 1).now, 6'010);
}

TEST("playback/a receive from anyone says whose message it took, and which") {
  const Played p =
      play_calls({Script().recv(any, 6).recv(any, any).recv(any, any),
                  Script().send(0, 10, 5).send(0, 20, 6), Script().compute(9).send(0, 30, 7)});
  const auto found = [&](std::size_t i) { return p.answer(0, i).outcomes.at(0); };
  CHECK_EQUAL(found(0).serial, 1U);
  CHECK_EQUAL(found(0).bytes, 20);
  CHECK_EQUAL(found(1).serial, 0U);
  CHECK_EQUAL(found(1).tag, 5);
  CHECK_EQUAL(found(2).source, 2);
  CHECK_EQUAL(found(2).serial, 0U);
}

TEST("playback/a probe waits for its message and leaves it; a matched one takes it") {
  const Played p =
      play_calls({Script()
                      .probe(Op::probe, any, 4)
                      .probe(Op::mprobe, any, any, 1)
                      .probe(Op::iprobe, any, 4)
                      .recv(1, any)
                      .mrecv(1),
                  Script().compute(2).send(0, 10, 3).send(0, 20, 4).compute(9).send(0, 40, 8)});
  CHECK_EQUAL(p.answer(0, 0).now, 2'000 + hop + 30);  // one wire
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(0).bytes, 20);
  CHECK_EQUAL(p.answer(0, 1).outcomes.at(0).tag, 3);
  CHECK_EQUAL(p.answer(0, 2).flag, 1);
  CHECK_EQUAL(p.answer(0, 3).outcomes.at(0).tag, 4);  // not the matched message
  CHECK_EQUAL(p.answer(0, 4).outcomes.at(0).tag, 3);
}

TEST("playback/tests and probes that find nothing take time") {
  PlayOptions options;
  options.poll = 400;
  Script polls = Script().irecv(1, 1);
  for (int i = 0; i < 4; ++i) polls.requests(Op::test, {1});
  polls.probe(Op::iprobe, 1, 9).clock();
  const Played p = play_calls({polls, Script().send(0, 10)}, {}, options);
  CHECK_EQUAL(p.answer(0, 0).now, 400);
  CHECK_EQUAL(p.answer(0, 1).flag, 0);
  CHECK_EQUAL(p.answer(0, 2).now, 1'200);
  CHECK_EQUAL(p.answer(0, 3).flag, 1);
  CHECK_EQUAL(p.answer(0, 3).outcomes.at(0).bytes, 10);
  CHECK_EQUAL(p.answer(0, 4).flag, 0);
  CHECK_EQUAL(p.answer(0, 5).now, 1'600);
}

TEST("playback/tests of any and some complete arrived messages") {
  const Script calls = Script()
                           .irecv(1, 1)
                           .irecv(2, 2)
                           .compute(2)
                           .requests(Op::test_any, {1, 2})
                           .requests(Op::test_some, {1})
                           .requests(Op::test, {1});
  const Played p = play_calls({calls, Script().compute(3).send(0, 10), Script().send(0, 10)});
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(0).index, 1U);
  CHECK_EQUAL(p.answer(0, 1).flag, 0);
  CHECK_EQUAL(p.answer(0, 2).now, 2'000 + PlayOptions{}.poll);
}

TEST("playback/asking for the time takes none, however often") {
  Script calls;
  for (int i = 0; i < 1'000; ++i) calls.clock();
  const Played p = play_calls({calls.send(nobody, 0).clock().compute(1).clock()});
  CHECK_EQUAL(p.answer(0, 999).now, 0);
  CHECK_EQUAL(p.answer(0, 1'000).now, 0);
  CHECK_EQUAL(p.answer(0, 1'001).now, 1'000);
}

TEST("playback/a receive that was cancelled takes nothing") {
  const Played p =
      play_calls({Script().irecv(1, 1).cancel(1).wait(1).compute(3).irecv(1, 1).cancel(1).wait(1),
                  Script().compute(1).send(0, 10)});
  CHECK_EQUAL(p.answer(0, 0).flag, 1);
  CHECK_EQUAL(p.answer(0, 1).outcomes.at(0).cancelled, 1U);
  CHECK_EQUAL(p.answer(0, 2).flag, 0);  // it had its message
  CHECK_EQUAL(p.answer(0, 3).outcomes.at(0).bytes, 10);
}

TEST("playback/synchronous sends wait for the receiver, buffered ones don't") {
  MpiOptions mpi;
  mpi.eager_threshold = 50;
  const auto end_of_send = [&](Bytes bytes, trace::Mode mode) {
    return play_calls({Script().send(1, bytes, 0, mode).clock(), Script().compute(7).recv(0)}, mpi)
        .answer(0, 0)
        .now;
  };
  CHECK_EQUAL(end_of_send(10, trace::Mode::standard), 0);
  CHECK_EQUAL(end_of_send(10, trace::Mode::synchronous), 7'000 + hop + 10);  // answer, data leave
  CHECK_EQUAL(end_of_send(90, trace::Mode::standard), 7'000 + hop + 90);
  CHECK_EQUAL(end_of_send(90, trace::Mode::buffered), 0);
}

TEST("playback/a ring allgather by hand takes the time of the algorithm") {
  constexpr int ranks = 7;
  constexpr Bytes bytes = 3'000;
  for (const Bytes threshold : {Bytes{100}, Bytes{8'192}}) {
    MpiOptions mpi = with_overheads();
    mpi.eager_threshold = threshold;
    std::vector<Script> by_hand(ranks), by_call(ranks);
    for (int r = 0; r < ranks; ++r) {
      for (int step = 1; step < ranks; ++step)
        by_hand[r].sendrecv((r + 1) % ranks, bytes, (r + ranks - 1) % ranks);
      by_call[r].collective(Collective::allgather, bytes);
    }
    PlayOptions options;
    options.collectives["allgather"] = "ring";
    const auto algorithm_ends = run(
        ranks, [](Rank rank) { return algorithm("allgather", "ring").run(rank, {bytes}); }, mpi);
    CHECK(play_calls(by_hand, mpi).ends == algorithm_ends);
    CHECK(play_calls(by_call, mpi, options).ends == algorithm_ends);
  }
}

TEST("playback/a deadlock says who waits for whom in which call") {
  MpiOptions mpi;
  mpi.eager_threshold = 0;
  std::string said;
  try {
    play_calls({Script().recv(1, 7), Script().send(2, 10, 3), Script().probe(Op::probe, any, 5)},
               mpi);
  } catch (const DeadlockError& error) {
    said = error.what();
  }
  CHECK(said.find("rank 0 of job 0 in MPI_Recv waits for rank 1 tag 7") != said.npos);
  CHECK(said.find("rank 1 of job 0 in MPI_Send waits for rank 2 to receive tag 3") != said.npos);
  CHECK(said.find("rank 2 of job 0 in MPI_Probe waits for any rank tag 5") != said.npos);
}

TEST("playback/what cannot be played is refused") {
  PlayOptions options;
  options.collectives["allgather"] = "rings";
  CHECK_THROWS(UserError, play_calls({Script()}, {}, options));
  options = {};
  options.poll = 0;
  CHECK_THROWS(UserError, play_calls({Script()}, {}, options));
  CHECK_THROWS(UserError, play_calls({Script().wait(3)}));
  CHECK_THROWS(UserError, play_calls({Script().send(0, 8).on(5)}));
  CHECK_THROWS(UserError, play_calls({Script().send(1, 8)}));
  CHECK_THROWS(UserError, play_calls({Script().communicator(2, 1, 0, {0, 9})}));
  CHECK_THROWS(UserError, play_calls({Script().collective(Collective::allgatherv, 8, nobody, {})}));
  Script aborts;
  aborts.add(Op::abort, trace::Function::Abort).set(trace::Abort{3});
  CHECK_THROWS(Aborted, play_calls({aborts}));
}

// Whatever a program finds is written into its records; played again they take the same time.
TEST("playback/calls that are decided take the time they took") {
  std::vector<Script> calls{Script()
                                .irecv(1, any, any)
                                .irecv(2, any, any)
                                .irecv(3, 1, 77)
                                .requests(Op::test_some, {1, 2})
                                .requests(Op::wait_any, {1, 2})
                                .probe(Op::iprobe, any, any)
                                .probe(Op::improbe, any, any, 4)
                                .cancel(3)
                                .requests(Op::wait, {3})
                                .recv(any, 5)
                                .clock(),
                            Script().send(0, 10).compute(2).send(0, 20, 5).send(0, 7'000, 1),
                            Script().compute(1).send(0, 500).send(0, 300, 5)};
  const Played first = play_calls(calls, with_overheads());
  std::size_t answered = 0;
  std::size_t irecvs = 0;
  for (trace::Record& record : calls[0].records()) {
    record.decided = true;
    if (record.call.op == Op::irecv && irecvs++ == 2) record.found.outcomes = {trace::Outcome{}};
    if (!record.call.wants_answer()) continue;
    record.found = first.answer(0, answered++);
    record.call.flags = 0;
  }
  const Played again = play_calls(calls, with_overheads());
  CHECK(again.ends == first.ends);
  CHECK(again.source->answers[0].empty());
}

}  // namespace
}  // namespace odonata::tests::playback_test
