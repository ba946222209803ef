// Traces that lack calls, made playable: the remaining calls of each are worked out by hand.
#include "odonata/interchange/repair.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"

namespace odonata::interchange::tests::repair_test {

using trace::Collective;
using trace::Op;
using trace::Record;

namespace {

using Calls = std::vector<std::vector<Record>>;  // [rank]

class Listed final : public trace::Source {
 public:
  explicit Listed(const Calls& calls) : calls_(calls), next_(calls.size()) {}
  bool next(int rank, Record& record) override {
    const auto& own = calls_[static_cast<std::size_t>(rank)];
    std::size_t& at = next_[static_cast<std::size_t>(rank)];
    if (at == own.size()) return false;
    record = own[at++];
    return true;
  }
  void answer(int, const trace::Answer&) override {}

 private:
  const Calls& calls_;
  std::vector<std::size_t> next_;
};

template <class View>
Record make(Op op, const View& view, std::uint32_t request = 0) {
  Record record;
  record.call.op = op;
  record.call.request = request;
  record.call.set(view);
  return record;
}
Record send(std::int32_t to, std::int32_t tag = 0) {
  return make(Op::send, trace::Send{.to = to, .tag = tag, .bytes = 8});
}
Record recv(std::int32_t source, std::int32_t tag = 0) {
  return make(Op::recv, trace::Receive{.source = source, .tag = tag, .bytes = 8});
}
Record irecv(std::int32_t source, std::uint32_t request, std::int32_t tag = 0) {
  return make(Op::irecv, trace::Receive{.source = source, .tag = tag, .bytes = 8}, request);
}
Record wait(std::vector<std::uint64_t> requests) {
  Record record;
  record.call.op = Op::wait;
  record.words = std::move(requests);
  return record;
}
Record collective(Collective operation, std::int32_t root = trace::nobody) {
  return make(Op::collective,
              trace::CollectiveCall{.bytes = 8, .root = root, .operation = operation});
}

Record probe(Op op, std::int32_t source, std::int32_t tag) {
  return make(op, trace::Probe{.source = source, .tag = tag});
}
// A call that found the request at this place of its list.
Record found_one(Op op, std::vector<std::uint64_t> requests, std::uint32_t place) {
  Record record = wait(std::move(requests));
  record.call.op = op;
  record.decided = true;
  record.found.flag = 1;
  record.found.outcomes.push_back({.index = place});
  return record;
}
Record communicator(std::uint32_t number, std::uint64_t identity, std::uint32_t position,
                    std::vector<std::uint64_t> members) {
  Record record =
      make(Op::communicator, trace::Creation{.identity = identity, .position = position});
  record.call.comm = number;
  record.words = std::move(members);
  return record;
}
Record on(std::uint32_t comm, Record record) {
  record.call.comm = comm;
  return record;
}

constexpr std::int32_t first_own_tag = 1 << 30;

struct Result {
  Calls calls;
  Repaired repaired;
  std::vector<int> order;  // ranks of the calls, as they were written
};

Result repair_call(const Calls& calls) {
  Repair repair(static_cast<int>(calls.size()));
  Listed first(calls), second(calls), third(calls);
  repair.count(first);
  repair.match(second);
  Result result;
  result.calls.resize(calls.size());
  repair.write(third, [&](const trace::Block& block) {
    std::size_t word = 0, outcome = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Record record;
      record.call = block.calls[i];
      for (std::uint32_t n = 0; n < record.call.num_words; ++n)
        record.words.push_back(block.words[word++]);
      for (std::uint32_t n = 0; n < block.num_outcomes[i]; ++n)
        record.found.outcomes.push_back(block.outcomes[outcome++]);
      result.order.push_back(block.ranks[i]);
      result.calls[static_cast<std::size_t>(block.ranks[i])].push_back(record);
    }
  });
  result.repaired = repair.repaired();
  return result;
}

std::string ops(const std::vector<Record>& calls) {
  std::string all;
  for (const Record& record : calls)
    all += record.call.op == Op::local ? 'l' : record.call.op == Op::wait ? 'w' : '.';
  return all;
}

}  // namespace

TEST("repair/a whole trace stays as it is") {
  const Calls calls{{send(1), recv(1, 3), collective(Collective::barrier)},
                    {irecv(0, 1), send(0, 3), wait({1}), collective(Collective::barrier)}};
  const Result got = repair_call(calls);
  CHECK_EQUAL(ops(got.calls[0]), "...");
  CHECK_EQUAL(ops(got.calls[1]), "..w.");
  CHECK_EQUAL(got.calls[0][0].call.send.to, 1);
  CHECK_EQUAL(got.calls[1][0].call.receive.source, 0);
  const Repaired& m = got.repaired;
  CHECK_EQUAL(m.sends + m.receives + m.probes + m.collectives + m.named, 0);
}

TEST("repair/a message without its receive goes, and a receive without its message") {
  const Calls calls{{send(1, 1), send(1, 2)},
                    {recv(0, 2), irecv(0, 1, 5), irecv(0, 2, 1), wait({1, 2})}};
  // Tag 5 is never sent; the wait ends with the other request.
  const Result got = repair_call(calls);
  CHECK_EQUAL(ops(got.calls[0]), "..");
  CHECK_EQUAL(ops(got.calls[1]), ".l.w");
  CHECK(got.calls[1][3].words == std::vector<std::uint64_t>{2});
  CHECK_EQUAL(got.repaired.receives, 1);
  CHECK_EQUAL(got.repaired.sends, 0);
  const Result more = repair_call({{send(1, 1), send(1, 1), send(1, 2)}, {recv(0, 1)}});
  CHECK_EQUAL(ops(more.calls[0]), ".ll");
  CHECK_EQUAL(more.repaired.sends, 2);
}

TEST("repair/a receive from anything takes the first message that is there") {
  const Result got = repair_call({{recv(trace::any, trace::any), recv(trace::any, trace::any)},
                                  {send(0, 7)},
                                  {recv(0, 1), send(0, 8)}});
  // Rank 2 waits for a message that is never sent, and continues without it.
  CHECK_EQUAL(got.calls[0][0].call.receive.source, 1);
  CHECK_EQUAL(got.calls[0][0].call.receive.tag, 7);
  CHECK_EQUAL(got.calls[0][1].call.receive.source, 2);
  CHECK_EQUAL(got.calls[0][1].call.receive.tag, 8);
  CHECK_EQUAL(ops(got.calls[2]), "l.");
  CHECK_EQUAL(got.repaired.named, 2);
  CHECK_EQUAL(got.repaired.receives, 1);
}

TEST("repair/of ranks that wait in a circle the first gives up its receive") {
  const Result got = repair_call({{recv(1), send(1)}, {recv(0), send(0)}});
  CHECK_EQUAL(ops(got.calls[0]), "l.");
  CHECK_EQUAL(ops(got.calls[1]), ".l");
  CHECK_EQUAL(got.repaired.receives, 1);
  CHECK_EQUAL(got.repaired.sends, 1);
}

// Each rank's receive of the other's large message comes after its own send: two machines differ in
// whether they hide it.
TEST("repair/of large sends that wait in a circle the first is buffered") {
  Record large = send(1);
  large.call.send.bytes = Repair::always_eager + 1;
  Record back = large;
  back.call.send.to = 0;
  const Result got = repair_call({{large, recv(1)}, {back, recv(0)}});
  CHECK(got.repaired.buffered == 1);
  CHECK(got.repaired.sends == 0 && got.repaired.receives == 0);
  CHECK(got.calls[0][0].call.send.mode == trace::Mode::buffered);
  CHECK(got.calls[1][0].call.send.mode == trace::Mode::standard);
  const Result fits = repair_call({{large, recv(1)}, {recv(0), back}});
  CHECK(fits.repaired.buffered == 0);
  Record synchronous = send(1);
  synchronous.call.send.mode = trace::Mode::synchronous;
  CHECK(repair_call({{synchronous, recv(1)}, {back, recv(0)}}).repaired.buffered == 1);
  CHECK(repair_call({{send(1), recv(1)}, {back, recv(0)}}).repaired.buffered ==
        0);  // 8 B never wait
  const Result lone = repair_call({{large, send(1, 7)}, {recv(0, 7)}});  // no receive waits for it
  CHECK(lone.repaired.buffered == 0 && lone.repaired.sends == 1);
}

TEST("repair/collectives are kept as long as all members call the same") {
  const auto barrier = collective(Collective::barrier);
  const Result got = repair_call({{barrier, collective(Collective::bcast, 0), barrier},
                                  {barrier, collective(Collective::bcast, 1), barrier}});
  CHECK_EQUAL(ops(got.calls[0]), ".ll");
  CHECK_EQUAL(ops(got.calls[1]), ".ll");
  CHECK_EQUAL(got.repaired.collectives, 4);
  const Result shorter = repair_call({{barrier, barrier}, {barrier}});
  CHECK_EQUAL(ops(shorter.calls[0]), ".l");
  CHECK_EQUAL(shorter.repaired.collectives, 1);
}

TEST("repair/both halves of an exchange are kept or dropped by themselves") {
  const auto exchange =
      make(Op::sendrecv,
           trace::Exchange{.to = 1, .send_tag = 1, .bytes = 8, .source = 1, .receive_tag = 2});
  const Result got = repair_call({{exchange}, {recv(0, 1)}});
  CHECK_EQUAL(got.calls[0][0].call.exchange.to, 1);
  CHECK_EQUAL(got.calls[0][0].call.exchange.source, trace::nobody);
  const Result other = repair_call({{exchange}, {send(0, 2)}});
  CHECK_EQUAL(other.calls[0][0].call.exchange.to, trace::nobody);
  CHECK_EQUAL(other.calls[0][0].call.exchange.source, 1);
}

TEST("repair/the member that has recorded fewest collectives decides, wherever it is") {
  const auto barrier = collective(Collective::barrier);
  const Result got = repair_call({{barrier, barrier}, {barrier}, {barrier, barrier}});
  CHECK_EQUAL(ops(got.calls[0]), ".l");
  CHECK_EQUAL(ops(got.calls[1]), ".");
  CHECK_EQUAL(ops(got.calls[2]), ".l");
}

TEST("repair/a message that another receive has is not waited for") {
  // The first receive has the only message of rank 0; a wait for a second one ends at once, before
  // rank 0 would have to give up its own receive.
  const Result got =
      repair_call({{recv(1, 9), send(1, 5)},
                   {irecv(0, 1, 5), recv(trace::any, trace::any), send(0, 9), wait({1})}});
  CHECK_EQUAL(ops(got.calls[0]), "..");
  CHECK_EQUAL(ops(got.calls[1]), ".l.w");
}

TEST("repair/a message that overtakes a receive from anything gets a tag of its own") {
  const Result got = repair_call({{irecv(trace::any, 1, trace::any), irecv(trace::any, 2, 5),
                                   irecv(1, 3, 5), wait({3}), wait({1}), wait({2})},
                                  {send(0, 5), send(0, 5), send(0, 5)}});
  // The third receive has the first message, since its rank waits for it first.
  for (const int i : {0, 1}) {
    const auto& receive = got.calls[0][static_cast<std::size_t>(i)].call.receive;
    CHECK_EQUAL(receive.source, 1);
    CHECK_EQUAL(receive.tag, first_own_tag + i);
    CHECK_EQUAL(got.calls[1][static_cast<std::size_t>(i) + 1].call.send.tag, first_own_tag + i);
  }
  CHECK_EQUAL(got.calls[0][2].call.receive.tag, 5);
  CHECK_EQUAL(got.calls[1][0].call.send.tag, 5);
  CHECK_EQUAL(got.repaired.named, 2);
}

TEST("repair/a probe of a message that gets a tag of its own goes") {
  const Result got = repair_call({{irecv(trace::any, 1, trace::any), irecv(1, 2, 5), wait({2}),
                                   probe(Op::probe, 1, 5), wait({1})},
                                  {send(0, 5), send(0, 5)}});
  CHECK_EQUAL(ops(got.calls[0]), "..wlw");
  CHECK_EQUAL(got.repaired.probes, 1);
}

TEST("repair/a receive with a source and any tag is named, too") {
  const Result got = repair_call({{recv(1, trace::any)}, {send(0, 6)}});
  CHECK_EQUAL(got.calls[0][0].call.receive.tag, 6);
  CHECK_EQUAL(got.repaired.named, 1);
}

TEST("repair/a call that found one of several requests waits for that one") {
  for (const Op op : {Op::wait_any, Op::wait_some, Op::test_any, Op::test_some}) {
    const Result got = repair_call(
        {{irecv(1, 1, 1), irecv(2, 2, 2), found_one(op, {1, 2}, 1), send(1, 9), wait({1})},
         {recv(0, 9), send(0, 1)},
         {send(0, 2)}});
    CHECK_EQUAL(ops(got.calls[0]), "....w");
    CHECK_EQUAL(ops(got.calls[1]), "..");
  }
}

TEST("repair/found requests keep their places among the rest") {
  // Tag 5 is never sent: the first request goes, and the second is the first now.
  const Result got = repair_call(
      {{irecv(1, 1, 5), irecv(1, 2, 1), found_one(Op::wait_any, {1, 2}, 1)}, {send(0, 1)}});
  CHECK_EQUAL(ops(got.calls[0]), "l..");
  const Record& found = got.calls[0][2];
  CHECK(found.words == std::vector<std::uint64_t>{2});
  CHECK_EQUAL(found.found.outcomes.size(), 1U);
  CHECK_EQUAL(found.found.outcomes.at(0).index, 0U);
}

TEST("repair/messages go to the ranks that their communicator says") {
  // In it rank 1 is the first.
  const Result got = repair_call({{communicator(2, 77, 1, {1, 0}), recv(1, 3), on(2, send(0, 4))},
                                  {communicator(2, 77, 0, {1, 0}), send(0, 3), on(2, recv(1, 4))}});
  CHECK_EQUAL(ops(got.calls[0]), "...");
  CHECK_EQUAL(ops(got.calls[1]), "...");
}

TEST("repair/a collective request lets its rank continue; without the others its wait goes, too") {
  Record begin = collective(Collective::barrier);
  begin.call.op = Op::icollective;
  begin.call.request = 1;
  const Result got =
      repair_call({{begin, send(1), wait({1})}, {recv(0), collective(Collective::barrier)}});
  CHECK_EQUAL(ops(got.calls[0]), "..w");
  CHECK_EQUAL(ops(got.calls[1]), "..");
  const Result alone = repair_call({{begin, wait({1})}, {}});
  CHECK_EQUAL(ops(alone.calls[0]), "ll");
}

TEST("repair/of communicators that wait for each other the first gives up its collectives") {
  const Record barrier = collective(Collective::barrier);
  const std::vector<std::uint64_t> both{0, 1};
  const Result got = repair_call({{communicator(2, 77, 0, both), communicator(3, 78, 0, both),
                                   on(2, barrier), on(3, barrier), on(2, barrier)},
                                  {communicator(2, 77, 1, both), communicator(3, 78, 1, both),
                                   on(3, barrier), on(2, barrier), on(2, barrier)}});
  CHECK_EQUAL(ops(got.calls[0]), "..l.l");
  CHECK_EQUAL(ops(got.calls[1]), "...ll");
  CHECK_EQUAL(got.repaired.collectives, 4);
}

TEST("repair/receives and probes of MPI_PROC_NULL, and probes that found nothing, stay") {
  Record nothing = probe(Op::iprobe, trace::any, trace::any);
  nothing.decided = true;
  const Result got = repair_call({{recv(trace::nobody), probe(Op::probe, trace::nobody, 0), nothing,
                                   probe(Op::probe, trace::any, trace::any), recv(1, 4)},
                                  {send(0, 4)}});
  CHECK_EQUAL(ops(got.calls[0]), ".....");
  CHECK_EQUAL(got.calls[0][1].call.probe.source, trace::nobody);
  CHECK_EQUAL(got.calls[0][2].call.probe.source, trace::any);
  CHECK_EQUAL(got.calls[0][3].call.probe.source, 1);
  CHECK_EQUAL(got.calls[0][3].call.probe.tag, 4);
  CHECK_EQUAL(got.repaired.receives + got.repaired.probes, 0);
}

TEST("repair/ranks are written in turn, so that a player holds a part of the calls") {
  constexpr std::size_t many = 50'000;
  const Result got =
      repair_call({std::vector<Record>(many, send(1)), std::vector<Record>(many, recv(0))});
  const auto first = std::find(got.order.begin(), got.order.end(), 1) - got.order.begin();
  CHECK_EQUAL(static_cast<std::size_t>(first), many / 2);
  CHECK_EQUAL(got.order.size(), 2 * many);
}

}  // namespace odonata::interchange::tests::repair_test
