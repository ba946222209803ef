// Waits of small traces, whose times can be read off.
#include "odonata/profile/wait_states.hpp"

#include <map>
#include <string>

#include "check.hpp"

namespace odonata::profile::tests::wait_states_test {

using trace::Call;
using trace::Collective;
using trace::Found;
using trace::Op;
using trace::Outcome;

namespace {

struct Run {
  explicit Run(int ranks, std::vector<trace::Match> matches = {})
      : waits(ranks, std::move(matches)) {}

  void call(int rank, Call call, std::int64_t begin, std::int64_t end,
            std::vector<std::uint64_t> words = {}, Found found = Found::unknown,
            std::vector<Outcome> outcomes = {}) {
    call.num_words = static_cast<std::uint32_t>(words.size());
    waits.called(rank, call, words, found, outcomes, begin, end);
  }
  // Time of all calls of a rank that wait for a reason [ns]; of all ranks: -1.
  [[nodiscard]] std::int64_t time(WaitState wait, int rank = -1) const {
    std::int64_t sum = 0;
    for (const auto& [key, one] : waits.sums())
      if (key.wait == wait && (rank < 0 || key.rank == rank)) sum += one.time;
    return sum;
  }

  WaitStates waits;
};

template <class View>
Call make(Op op, const View& view, std::uint32_t request = 0, std::uint32_t comm = 0) {
  Call call;
  call.op = op;
  call.request = request;
  call.comm = comm;
  call.set(view);
  return call;
}

Call send(std::int32_t to, std::int32_t tag = 0) {
  return make(Op::send, trace::Send{.to = to, .tag = tag, .bytes = 8});
}
Call recv(std::int32_t source, std::int32_t tag = 0) {
  return make(Op::recv, trace::Receive{.source = source, .tag = tag, .bytes = 8});
}
Call isend(std::int32_t to, std::uint32_t request) {
  return make(Op::isend, trace::Send{.to = to, .tag = 0, .bytes = 8}, request);
}
Call irecv(std::int32_t source, std::uint32_t request, std::int32_t tag = 0) {
  return make(Op::irecv, trace::Receive{.source = source, .tag = tag, .bytes = 8}, request);
}
Call wait(std::uint32_t request) {
  Call call;
  call.op = Op::wait;
  call.request = request;
  return call;
}
Call plain(Op op) {
  Call call;
  call.op = op;
  return call;
}
Call collective(Collective operation, std::int32_t root = trace::nobody, Op op = Op::collective,
                std::uint32_t request = 0) {
  return make(op, trace::CollectiveCall{.bytes = 8, .root = root, .operation = operation}, request);
}

}  // namespace

TEST("wait states/a receive waits for its sender, and not longer than it lasts") {
  Run run(2);
  run.call(1, recv(0), 100, 190);
  run.call(0, send(1), 170, 180);
  CHECK_EQUAL(run.time(WaitState::late_sender, 1), 70);
  CHECK_EQUAL(run.time(WaitState::late_receiver), 0);
  // The send came first: no rank waits.
  run.call(0, send(1), 200, 210);
  run.call(1, recv(0), 250, 260);
  CHECK_EQUAL(run.time(WaitState::late_sender), 70);
  CHECK_EQUAL(run.waits.num_messages(), 2);
  CHECK_EQUAL(run.waits.num_reversed(), 0);
  // A clock that is off: received before it was sent. The wait ends with the call.
  run.call(1, recv(0), 300, 310);
  run.call(0, send(1), 330, 340);
  CHECK_EQUAL(run.time(WaitState::late_sender), 80);
  CHECK_EQUAL(run.waits.num_reversed(), 1);
}

TEST("wait states/a send waits for its receiver only if it lasts until that comes") {
  Run run(2);
  run.call(0, send(1), 100, 200);
  run.call(1, recv(0), 160, 205);
  CHECK_EQUAL(run.time(WaitState::late_receiver, 0), 60);
  run.call(0, send(1), 300, 310);  // buffered
  run.call(1, recv(0), 350, 360);
  CHECK_EQUAL(run.time(WaitState::late_receiver), 60);
  CHECK_EQUAL(run.time(WaitState::late_sender), 0);
}

TEST("wait states/a wait for requests counts the longest, from when it began") {
  Run run(3);
  run.call(0, irecv(1, 1), 10, 11);
  run.call(0, irecv(2, 2), 12, 13);
  run.call(0, isend(1, 3), 14, 15);
  run.call(0, plain(Op::wait), 20, 100, {1, 2, 3});
  run.call(1, send(0), 50, 51);
  run.call(2, send(0), 90, 91);
  CHECK_EQUAL(run.time(WaitState::late_sender), 0);  // not all is known
  run.call(1, recv(0), 60, 101);
  CHECK_EQUAL(run.time(WaitState::late_sender, 0), 70);
  CHECK_EQUAL(run.time(WaitState::late_receiver), 0);  // 40, and not the longest
  for (const auto& [key, sum] : run.waits.sums()) CHECK_EQUAL(sum.calls, 1);
}

TEST("wait states/a test that finds a request complete waits for nothing") {
  Run run(2);
  run.call(1, irecv(0, 1), 10, 11);
  run.call(1, plain(Op::test), 12, 13, {1}, Found::flag_off);
  run.call(0, send(1), 50, 51);
  run.call(1, plain(Op::test), 60, 61, {1}, Found::flag_on, {Outcome{.index = 0}});
  run.call(1, irecv(0, 1), 70, 71);
  run.call(1, wait(1), 72, 90);
  run.call(0, send(1), 80, 85);
  CHECK_EQUAL(run.time(WaitState::late_sender, 1), 8);
}

TEST(
    "waits/messages match by tag in order, and receives from any source by their recorded source") {
  Run run(3, {{0, 2, 0}});
  run.call(0, irecv(trace::any, 1), 0, 1);  // call 0: got rank 2's
  run.call(0, wait(1), 10, 100);
  run.call(1, send(0, 7), 20, 21);
  run.call(2, send(0, 0), 40, 41);
  CHECK_EQUAL(run.time(WaitState::late_sender), 30);
  run.call(1, send(0, 8), 200, 201);
  run.call(0, recv(1, 8), 150, 220);  // passes over tag 7
  CHECK_EQUAL(run.time(WaitState::late_sender), 80);
  run.call(0, recv(1, trace::any), 230, 240);  // sent long ago
  CHECK_EQUAL(run.time(WaitState::late_sender), 80);
  run.call(0, recv(trace::any, 3), 300, 320, {}, Found::flag_on, {Outcome{.source = 1, .tag = 3}});
  run.call(1, send(0, 3), 305, 306);
  CHECK_EQUAL(run.time(WaitState::late_sender), 85);
}

TEST("wait states/collectives wait for those whom their data come from") {
  const auto times = [](Collective operation, std::int32_t root) {
    Run run(3);
    const std::int64_t begins[] = {100, 130, 170};
    for (int rank = 0; rank < 3; ++rank)
      run.call(rank, collective(operation, root), begins[rank], 200);
    std::map<std::string, std::vector<std::int64_t>> found;
    for (const auto& [key, sum] : run.waits.sums()) {
      auto& row = found[std::string(wait_state_names[static_cast<std::size_t>(key.wait)])];
      row.resize(3);
      row[static_cast<std::size_t>(key.rank)] = sum.time;
    }
    return found;
  };
  using Found = std::map<std::string, std::vector<std::int64_t>>;
  CHECK((times(Collective::allreduce, -2) == Found{{"wait_at_nxn", {70, 40, 0}}}));
  CHECK((times(Collective::alltoallv, -2) == Found{{"wait_at_nxn", {70, 40, 0}}}));
  CHECK((times(Collective::barrier, -2) == Found{{"wait_at_barrier", {70, 40, 0}}}));
  CHECK((times(Collective::bcast, 1) == Found{{"late_broadcast", {30, 0, 0}}}));
  CHECK((times(Collective::reduce, 0) == Found{{"early_reduce", {30, 0, 0}}}));
  CHECK((times(Collective::gather, 2) == Found{}));
  CHECK((times(Collective::scan, -2) == Found{}));  // lower ranks came before
  CHECK((times(Collective::neighbor_alltoall, -2) == Found{}));
}

TEST("wait states/a scan waits for the lower ranks alone") {
  Run run(3);
  run.call(0, collective(Collective::scan), 150, 200);
  run.call(1, collective(Collective::scan), 100, 200);
  run.call(2, collective(Collective::scan), 180, 200);
  CHECK_EQUAL(run.time(WaitState::early_scan, 1), 50);
  CHECK_EQUAL(run.time(WaitState::early_scan), 50);
}

TEST("wait states/a collective request waits in its wait, on its communicator") {
  Run run(3);
  Call half = make(Op::communicator, trace::Creation{.identity = 77, .position = 1}, 0, 2);
  run.call(0, half, 0, 0, {2, 0});
  half.communicator.position = 0;
  run.call(2, half, 0, 0, {2, 0});
  Call begin = collective(Collective::allreduce, trace::nobody, Op::icollective, 1);
  begin.comm = 2;
  run.call(0, begin, 10, 11);
  run.call(0, wait(1), 20, 60);
  run.call(2, begin, 50, 51);
  CHECK_EQUAL(run.time(WaitState::wait_at_nxn), 30);
  run.call(2, wait(1), 55, 56);
  CHECK_EQUAL(run.time(WaitState::wait_at_nxn, 2), 0);
  // In it rank 2 of the world is rank 0.
  Call there = recv(0);
  there.comm = 2;
  run.call(0, there, 100, 140);
  Call from = send(1);
  from.comm = 2;
  run.call(2, from, 130, 135);
  CHECK_EQUAL(run.time(WaitState::late_sender, 0), 30);
}

TEST("wait states/a collective wait ends with its call, where clocks differ") {
  Run run(2);
  run.call(0, collective(Collective::barrier), 100, 110);
  run.call(1, collective(Collective::barrier), 150, 160);
  CHECK_EQUAL(run.time(WaitState::wait_at_barrier), 10);
}

TEST("wait states/a probe that found nothing takes no message") {
  Run run(2);
  run.call(0, make(Op::improbe, trace::Probe{.source = 1, .tag = 0}, 1), 10, 11, {},
           Found::flag_off);
  run.call(1, send(0), 20, 21);
  run.call(0, recv(1), 15, 30);
  CHECK_EQUAL(run.time(WaitState::late_sender, 0), 5);
}

TEST("wait states/between two groups messages wait, and rooted collectives tell nothing") {
  Run run(2);
  Call made = make(Op::communicator, trace::Creation{.identity = 77, .num_local = 1}, 0, 2);
  run.call(0, made, 0, 0, {0, 1});
  made.communicator.position = 1;
  run.call(1, made, 0, 0, {1, 0});
  Call in = recv(0);
  Call out = send(0);
  in.comm = out.comm = 2;
  run.call(0, in, 100, 140);
  run.call(1, out, 130, 135);
  CHECK_EQUAL(run.time(WaitState::late_sender, 0), 30);
  Call bcast = collective(Collective::bcast, 0);
  bcast.comm = 2;
  run.call(0, bcast, 250, 300);
  run.call(1, bcast, 200, 300);
  CHECK_EQUAL(run.time(WaitState::late_broadcast), 0);
}

TEST("wait states/a request that nothing opened, and calls beyond the members, do no harm") {
  Run run(2);
  run.call(0, wait(4'000'000'000), 1, 2);
  for (int i = 0; i < 3; ++i)
    run.call(0, collective(Collective::barrier, trace::nobody, Op::icollective, 1), 1, 2);
  run.call(1, collective(Collective::barrier), 3, 4);
  run.call(0, wait(1), 5, 6);
  CHECK_EQUAL(run.time(WaitState::late_sender), 0);
}

}  // namespace odonata::profile::tests::wait_states_test
