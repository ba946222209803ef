// Recording a run, and playing the record: findings of calls are where they belong.
#include "odonata/trace/recording_source.hpp"

#include <deque>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "odonata/trace/functions.hpp"
#include "odonata/trace/recorded.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::trace::tests::recording_source_test {

namespace {

Record record(Op op, std::uint32_t request = no_request, std::vector<std::uint64_t> words = {}) {
  Record made;
  made.call.op = op;
  made.call.request = request;
  made.words = std::move(words);
  made.call.num_words = static_cast<std::uint32_t>(made.words.size());
  return made;
}

Record asking(Record made) {
  made.call.flags = Call::answer;
  return made;
}

Record receive(std::uint32_t request, std::int32_t source) {
  Record made = record(Op::irecv, request);
  made.call.set(trace::Receive{.source = source});
  return made;
}

/// Calls of a test.
class Listed final : public Source {
 public:
  explicit Listed(std::vector<std::deque<Record>> calls) : calls_(std::move(calls)) {}
  bool next(int rank, Record& out) override {
    auto& calls = calls_[rank];
    if (calls.empty()) return false;
    out = calls.front();
    calls.pop_front();
    return true;
  }
  void answer(int, const Answer&) override { ++num_answers; }
  Time pass(int rank, Record& out) override { return num_known-- > 0 && next(rank, out) ? 9 : -1; }

  int num_answers = 0;
  int num_known = 0;  // calls of which a rank knows that they find nothing

 private:
  std::vector<std::deque<Record>> calls_;
};

struct Recording {
  explicit Recording(std::vector<std::deque<Record>> calls)
      : ranks(static_cast<int>(calls.size())),
        live(std::make_shared<Listed>(std::move(calls))),
        recorder(live, ranks, [this](Block block) { blocks.push_back(std::move(block)); }) {}

  Record next(int rank) {
    Record out;
    CHECK(recorder.next(rank, out));
    return out;
  }
  /// The record, played.
  std::shared_ptr<Recorded> played() {
    recorder.finish();
    std::vector<Match> matches;
    for (const Block& b : blocks) matches.insert(matches.end(), b.matches.begin(), b.matches.end());
    const auto more = [this]() -> std::optional<Block> {
      if (given == blocks.size()) return std::nullopt;
      return blocks[given++];
    };
    constexpr std::size_t most_held = 1 << 26;  // [B]
    return std::make_shared<Recorded>(ranks, matches, more, most_held);
  }

  int ranks;
  std::size_t given = 0;
  std::vector<Block> blocks;
  std::shared_ptr<Listed> live;
  RecordingSource recorder;
};

std::string refusal(const Record& bad) {
  Recording run({{bad}, {}});
  run.next(0);
  Record out;
  try {
    run.played()->next(0, out);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST("trace/a call that asks is recorded with its answer") {
  Recording run({{record(Op::isend, 1), asking(record(Op::test, 0, {2, 1}))}, {record(Op::send)}});
  run.next(0);
  CHECK(run.next(0).call.wants_answer());
  run.next(1);  // between question and answer
  run.recorder.answer(0, {.now = 5, .flag = 1, .outcomes = {{.index = 1, .source = 1}}});
  CHECK_EQUAL(run.live->num_answers, 1);
  const auto played = run.played();
  Record out;
  CHECK(played->next(0, out));
  CHECK(!out.decided);
  CHECK(played->next(0, out));
  CHECK(out.decided && !out.call.wants_answer());
  CHECK_EQUAL(out.found.flag, 1);
  CHECK_EQUAL(out.found.outcomes.at(0).index, 1U);
}

TEST("trace/tests that are passed over are recorded as finding nothing") {
  Recording run({{asking(record(Op::test, 1)), asking(record(Op::test, 2)),
                  asking(record(Op::test, 3)), record(Op::send)}});
  run.live->num_known = 2;
  Record out = run.next(0);
  CHECK_EQUAL(run.recorder.pass(0, out), 9);
  CHECK_EQUAL(run.recorder.pass(0, out), 9);
  CHECK_EQUAL(out.call.request, 3U);
  CHECK_EQUAL(run.recorder.pass(0, out), -1);
  run.recorder.answer(0, Answer{});
  run.next(0);
  const auto played = run.played();
  for (std::uint32_t request = 1; request <= 3; ++request) {
    CHECK(played->next(0, out));
    CHECK_EQUAL(out.call.request, request);
    CHECK(out.decided && !out.call.wants_answer());
    CHECK_EQUAL(out.found.flag, 0);
  }
  CHECK(played->next(0, out));
  CHECK(!played->next(0, out));
}

TEST("trace/a receive from any source is played with its recorded source") {
  Recording run({{receive(1, any), receive(2, 1), asking(record(Op::wait_any, 0, {2, 1})),
                  receive(1, any), asking(record(Op::wait, 1))},
                 {}});
  for (int call = 0; call < 3; ++call) run.next(0);
  run.recorder.answer(0, {.flag = 1, .outcomes = {{.index = 1, .source = 1, .serial = 4}}});
  run.next(0);
  run.next(0);
  run.recorder.answer(0, {.outcomes = {{.index = 0, .source = 0}}});
  const auto played = run.played();
  Record out;
  const auto source = [&out] { return out.found.outcomes.at(0).source; };
  CHECK(played->next(0, out));
  CHECK(out.decided);
  CHECK_EQUAL(source(), 1);
  CHECK(played->next(0, out));  // from a named one
  CHECK(!out.decided);
  CHECK(played->next(0, out));
  CHECK(out.decided && !out.call.wants_answer());
  CHECK_EQUAL(out.call.num_words, 2U);
  CHECK_EQUAL(out.found.outcomes.at(0).index, 1U);
  CHECK(played->next(0, out));  // the request has been taken again
  CHECK_EQUAL(source(), 0);
  CHECK(played->next(0, out));
  CHECK(!played->next(0, out));
  CHECK(!played->next(1, out));
}

TEST("trace/a cancelled receive is played as none") {
  Recording run({{receive(1, 1), asking(record(Op::cancel, 1)), record(Op::wait, 1)}, {}});
  run.next(0);
  run.next(0);
  run.recorder.answer(0, {.flag = 1, .outcomes = {}});
  run.next(0);
  const auto played = run.played();
  Record out;
  CHECK(played->next(0, out));
  CHECK(out.decided);
  CHECK_EQUAL(out.found.outcomes.at(0).source, nobody);
}

TEST("trace/a call without an answer is recorded when the run ends") {
  Recording run({{asking(record(Op::clock))}, {}});
  run.next(0);
  const auto played = run.played();
  Record out;
  CHECK(played->next(0, out));
  CHECK(!out.decided);
}

TEST("trace/a record of many calls comes in blocks") {
  const std::size_t n = BlockBuilder::most_records + 10;
  Recording run({std::deque<Record>(n, record(Op::local)), {}});
  for (std::size_t i = 0; i < n; ++i) run.next(0);
  const auto played = run.played();
  CHECK_EQUAL(run.blocks.size(), 2U);
  Record out;
  std::size_t calls = 0;
  while (played->next(0, out)) ++calls;
  CHECK_EQUAL(calls, n);
}

TEST("trace/a call with more words than a block has is a block of its own") {
  const std::size_t most = BlockBuilder::most_words;
  const auto waiting = [](std::size_t words) {
    return record(Op::wait, no_request, std::vector<std::uint64_t>(words, 1));
  };
  Recording run({{waiting(most - 1), waiting(1), waiting(1), waiting(most + 1), waiting(0)}, {}});
  for (int i = 0; i < 5; ++i) run.next(0);
  run.recorder.finish();
  std::vector<std::size_t> words;
  for (const Block& block : run.blocks) words.push_back(block.words.size());
  CHECK(words == std::vector<std::size_t>({most, 1, most + 1, 0}));
}

TEST("trace/calls of unknown ranks, requests and communicators are refused") {
  Record peer = record(Op::send);
  peer.call.set(trace::Send{.to = 2});
  CHECK_EQUAL(refusal(peer),
              std::string("trace: rank 0, call 0: a rank that its communicator does not have"));
  Record comm = record(Op::send);
  comm.call.comm = 2;
  CHECK(refusal(comm).ends_with("a communicator that is not there"));
  CHECK(refusal(record(Op::isend, 2)).ends_with("a request that nothing opened"));
  for (const std::uint64_t request : {std::uint64_t{no_request}, std::uint64_t{2}})
    CHECK(refusal(record(Op::wait, 0, {request})).ends_with("a request that nothing opened"));
  CHECK(refusal(record(Op::communicator, 0, {1})).ends_with("without the rank itself"));
  for (const std::vector<std::uint64_t>& members : {std::vector<std::uint64_t>{}, {0, 1, 1}})
    CHECK(refusal(record(Op::communicator, 0, members)).ends_with("a communicator of no ranks"));
  Record sizes = record(Op::collective, 0, {8});
  sizes.call.set(trace::CollectiveCall{.operation = Collective::allgatherv});
  CHECK(refusal(sizes).ends_with("a wrong number of blocks"));
  Record neighbors = record(Op::collective, 0, {1, 1, 1});
  neighbors.call.set(trace::CollectiveCall{.operation = Collective::neighbor_alltoall});
  CHECK(refusal(neighbors).ends_with("neighbours left out"));
  Record long_compute = record(Op::local);
  long_compute.call.compute = std::int64_t{1} << 60;
  CHECK(refusal(long_compute).ends_with("a compute time out of range"));
}

TEST("trace/recorded compute times go to the same calls, whatever polls there are") {
  const auto computed = [](Op op, std::int64_t time) {
    Record made = record(op);
    made.call.compute = time;
    return made;
  };
  Recording before({{computed(Op::send, 10), computed(Op::test, 1), computed(Op::test, 2),
                     computed(Op::recv, 20)}});
  for (int call = 0; call < 4; ++call) before.next(0);
  const auto live = std::make_shared<Listed>(std::vector<std::deque<Record>>{
      {record(Op::send), record(Op::test), record(Op::recv), record(Op::finalize)}});
  RecordedCompute source(live, before.played());
  Record out;
  for (const std::int64_t expected : {10, 1, 20}) {
    CHECK(source.next(0, out));
    CHECK_EQUAL(out.call.compute, expected);
  }
  bool refused = false;
  try {
    source.next(0, out);
  } catch (const UserError&) {
    refused = true;
  }
  CHECK(refused);
}

// The calls of one rank, by function, operation and compute time, as a run has them.
using Calls = std::vector<std::tuple<Function, Op, std::int64_t>>;

std::deque<Record> records_of(const Calls& calls) {
  std::deque<Record> made;
  for (const auto& [function, op, compute] : calls) {
    const auto number = static_cast<std::uint32_t>(made.size() + 1);
    made.push_back(record(op, op == Op::isend || op == Op::irecv ? number : 0));
    made.back().call.function = static_cast<std::uint16_t>(function);
    made.back().call.compute = compute;
  }
  return made;
}

// The compute times that a run gets from another one; -1 where the run is refused.
std::vector<std::int64_t> recorded_times(const Calls& before, const Calls& now) {
  Recording recording({records_of(before)});
  for (std::size_t call = 0; call < before.size(); ++call) recording.next(0);
  const auto live = std::make_shared<Listed>(std::vector<std::deque<Record>>{records_of(now)});
  RecordedCompute source(live, recording.played());
  std::vector<std::int64_t> times;
  try {
    for (Record out; source.next(0, out);) times.push_back(out.call.compute);
  } catch (const UserError&) {
    times.push_back(-1);
  }
  return times;
}

TEST("trace/recorded compute times follow messages that are answered in another order") {
  const Calls before{{Function::Iprobe, Op::iprobe, 1}, {Function::Testall, Op::local, 2},
                     {Function::Recv, Op::recv, 3},     {Function::Get_count, Op::local, 4},
                     {Function::Isend, Op::isend, 5},   {Function::Send, Op::send, 6},
                     {Function::Waitall, Op::local, 7}, {Function::Barrier, Op::collective, 8},
                     {Function::Recv, Op::recv, 9}};
  // The send comes first, there are other tests, and a wait has nothing to wait for.
  CHECK(recorded_times(before, {{Function::Send, Op::send, 0},
                                {Function::Recv, Op::recv, 0},
                                {Function::Testall, Op::local, 0},
                                {Function::Get_count, Op::local, 0},
                                {Function::Isend, Op::isend, 0},
                                {Function::Barrier, Op::collective, 0},
                                {Function::Recv, Op::recv, 0}}) ==
        std::vector<std::int64_t>({6, 3, 0, 4, 5, 8, 9}));
  // Nothing passes the barrier: neither a second receive nor the barrier itself.
  CHECK(recorded_times(before, {{Function::Recv, Op::recv, 0}, {Function::Recv, Op::recv, 0}}) ==
        std::vector<std::int64_t>({3, -1}));
  CHECK(recorded_times(before,
                       {{Function::Recv, Op::recv, 0}, {Function::Barrier, Op::collective, 0}}) ==
        std::vector<std::int64_t>({3, -1}));
  // Polls are looked for at a short distance only: each of millions may look.
  Calls polls(64, {Function::Iprobe, Op::iprobe, 1});
  polls.push_back({Function::Testall, Op::local, 2});
  CHECK(recorded_times(polls, {{Function::Testall, Op::local, 0}}) ==
        std::vector<std::int64_t>({0}));
}

}  // namespace odonata::trace::tests::recording_source_test
