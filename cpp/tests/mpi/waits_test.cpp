// Rank programs that wait for some of their requests, look at messages, and do things beside.
#include "../workload/calls.hpp"
#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::waits_test {
namespace {

Span bytes(Bytes n) { return {input, 0, n}; }

TEST("mpi/the first of two requests ends the wait, the other is still to come") {
  std::vector<Time> seen;
  run(3, [&](Rank rank) -> Task {
    if (rank.index() > 0) {
      co_await rank.compute(rank.index() * 2'000);
      co_await rank.send(0, bytes(10));
      co_return;
    }
    const Request both[] = {rank.irecv(2, bytes(10)), rank.irecv(1, bytes(10))};
    co_await rank.complete_any(both);
    CHECK(!rank.done(both[0]));
    CHECK_EQUAL(rank.retire(both[1]).source, 1);
    seen.push_back(rank.now());
    CHECK_EQUAL((co_await rank.wait(both[0])).source, 2);
    seen.push_back(rank.now());
  });
  CHECK(seen == std::vector<Time>({2'000 + hop + 10, 4'000 + hop + 10}));
}

TEST("mpi/a taken message is for its own receive only") {
  run(2, [](Rank rank) -> Task {
    if (rank.index() == 1) {
      rank.isend(0, bytes(10), 4, {SendMode::standard, 17});
      co_await rank.send(0, bytes(20), 4);
      co_return;
    }
    CHECK(!rank.iprobe(1, 4));
    CHECK(!rank.improbe(1, 4));
    const Status seen = co_await rank.probe(any_source, any_tag);
    CHECK_EQUAL(seen.bytes, 10);
    CHECK_EQUAL(seen.serial, 17U);
    const std::optional<MatchedMessage> matched = rank.improbe(1, 4);
    CHECK_EQUAL((co_await rank.recv(1, bytes(20), 4)).bytes, 20);
    CHECK_EQUAL((co_await rank.wait(rank.irecv(*matched, bytes(10)))).bytes, 10);
  });
}

// Both sides of an exchange beside the program, and more coroutines than slots at first.
Task exchange(Rank rank, int tag) {
  const int other = 1 - rank.index();
  co_await rank.sendrecv(other, bytes(100), other, bytes(100), tag);
  co_await rank.sendrecv(other, bytes(100), other, bytes(100), tag);
}

TEST("mpi/coroutines share the processor and the mailbox of their rank") {
  MpiOptions mpi;
  mpi.send_overhead = 10;
  const auto ends = run(
      2,
      [](Rank rank) -> Task {
        for (int round = 0; round < 3; ++round) {
          std::vector<Request> coroutines;
          for (int tag = 0; tag < 4; ++tag)
            coroutines.push_back(
                rank.start([tag](Rank beside) { return exchange(std::move(beside), tag); }));
          co_await rank.wait_all(coroutines);
        }
      },
      mpi);
  // Four sends in turn, one wire: the last of a step is under way from 4 * 100 + 10 - 100 on.
  CHECK_EQUAL(ends[0], 3 * (2 * (10 + hop + 100) + 3 * 100));
  CHECK_EQUAL(ends[1], ends[0]);
}

Task fail(Rank rank) {
  co_await rank.compute(10);
  throw UserError("beside");
}

TEST("mpi/errors of a coroutine end the run") {
  const auto failing = [](Rank rank) -> Task { co_await rank.wait(rank.start(fail)); };
  CHECK_THROWS(UserError, run(1, failing));
}

TEST("mpi/a coroutine or a probe that waits for ever is a deadlock of its rank") {
  const auto stuck = [](Rank rank) -> Task {
    if (rank.index() == 1) static_cast<void>(co_await rank.probe(0, 5));
    co_await rank.wait(rank.start(
        [](Rank beside) -> Task { co_await beside.recv(1 - beside.index(), bytes(8), 3); }));
  };
  std::string said;
  try {
    run(2, stuck);
  } catch (const DeadlockError& error) {
    said = error.what();
  }
  CHECK_EQUAL(said, std::string("deadlock: 2 ranks wait for messages that no rank sends"
                                "; rank 0 of job 0 waits for rank 1 tag 3"
                                "; rank 1 of job 0 waits for rank 0 tag 5"));
}

}  // namespace
}  // namespace odonata::tests::waits_test
