// Traces that lack calls, made playable: what is left of each is seen by hand.
#include "odonata/profile/mender.hpp"

#include <string>
#include <vector>

#include "check.hpp"

namespace odonata::profile::tests::mender_test {

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

struct Result {
  Calls calls;
  Mended mended;
};

Result mend(const Calls& calls) {
  Mender mender(static_cast<int>(calls.size()));
  Listed first(calls), second(calls), third(calls);
  mender.count(first);
  mender.match(second);
  Result result;
  result.calls.resize(calls.size());
  mender.write(third, [&](const trace::Block& block) {
    std::size_t word = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      Record record;
      record.call = block.calls[i];
      for (std::uint32_t n = 0; n < record.call.num_words; ++n)
        record.words.push_back(block.words[word++]);
      result.calls[static_cast<std::size_t>(block.ranks[i])].push_back(record);
    }
  });
  result.mended = mender.mended();
  return result;
}

std::string ops(const std::vector<Record>& calls) {
  std::string all;
  for (const Record& record : calls)
    all += record.call.op == Op::local ? 'l' : record.call.op == Op::wait ? 'w' : '.';
  return all;
}

}  // namespace

TEST("mender/a whole trace stays as it is") {
  const Calls calls{{send(1), recv(1, 3), collective(Collective::barrier)},
                    {irecv(0, 1), send(0, 3), wait({1}), collective(Collective::barrier)}};
  const Result got = mend(calls);
  CHECK_EQUAL(ops(got.calls[0]), "...");
  CHECK_EQUAL(ops(got.calls[1]), "..w.");
  CHECK_EQUAL(got.calls[0][0].call.send.to, 1);
  CHECK_EQUAL(got.calls[1][0].call.receive.source, 0);
  const Mended& m = got.mended;
  CHECK_EQUAL(m.sends + m.receives + m.probes + m.collectives + m.named, 0);
}

TEST("mender/a message without its receive goes, and a receive without its message") {
  const Calls calls{{send(1, 1), send(1, 2)},
                    {recv(0, 2), irecv(0, 1, 5), irecv(0, 2, 1), wait({1, 2})}};
  // Tag 5 is never sent; the wait goes on with the other request.
  const Result got = mend(calls);
  CHECK_EQUAL(ops(got.calls[0]), "..");
  CHECK_EQUAL(ops(got.calls[1]), ".l.w");
  CHECK(got.calls[1][3].words == std::vector<std::uint64_t>{2});
  CHECK_EQUAL(got.mended.receives, 1);
  CHECK_EQUAL(got.mended.sends, 0);
  const Result more = mend({{send(1, 1), send(1, 1), send(1, 2)}, {recv(0, 1)}});
  CHECK_EQUAL(ops(more.calls[0]), ".ll");
  CHECK_EQUAL(more.mended.sends, 2);
}

TEST("mender/a receive from anything takes the first message that is there") {
  const Result got = mend({{recv(trace::any, trace::any), recv(trace::any, trace::any)},
                           {send(0, 7)},
                           {recv(0, 1), send(0, 8)}});
  // Rank 2 waits for a message that is never sent, and goes on without it.
  CHECK_EQUAL(got.calls[0][0].call.receive.source, 1);
  CHECK_EQUAL(got.calls[0][0].call.receive.tag, 7);
  CHECK_EQUAL(got.calls[0][1].call.receive.source, 2);
  CHECK_EQUAL(got.calls[0][1].call.receive.tag, 8);
  CHECK_EQUAL(ops(got.calls[2]), "l.");
  CHECK_EQUAL(got.mended.named, 2);
  CHECK_EQUAL(got.mended.receives, 1);
}

TEST("mender/of ranks that wait in a circle the first gives up its receive") {
  const Result got = mend({{recv(1), send(1)}, {recv(0), send(0)}});
  CHECK_EQUAL(ops(got.calls[0]), "l.");
  CHECK_EQUAL(ops(got.calls[1]), ".l");
  CHECK_EQUAL(got.mended.receives, 1);
  CHECK_EQUAL(got.mended.sends, 1);
}

TEST("mender/collectives are kept as long as all members call the same") {
  const auto barrier = collective(Collective::barrier);
  const Result got = mend({{barrier, collective(Collective::bcast, 0), barrier},
                           {barrier, collective(Collective::bcast, 1), barrier}});
  CHECK_EQUAL(ops(got.calls[0]), ".ll");
  CHECK_EQUAL(ops(got.calls[1]), ".ll");
  CHECK_EQUAL(got.mended.collectives, 4);
  const Result shorter = mend({{barrier, barrier}, {barrier}});
  CHECK_EQUAL(ops(shorter.calls[0]), ".l");
  CHECK_EQUAL(shorter.mended.collectives, 1);
}

TEST("mender/both halves of an exchange are kept or dropped by themselves") {
  const auto exchange =
      make(Op::sendrecv,
           trace::Exchange{.to = 1, .send_tag = 1, .bytes = 8, .source = 1, .receive_tag = 2});
  const Result got = mend({{exchange}, {recv(0, 1)}});
  CHECK_EQUAL(got.calls[0][0].call.exchange.to, 1);
  CHECK_EQUAL(got.calls[0][0].call.exchange.source, trace::nobody);
  const Result other = mend({{exchange}, {send(0, 2)}});
  CHECK_EQUAL(other.calls[0][0].call.exchange.to, trace::nobody);
  CHECK_EQUAL(other.calls[0][0].call.exchange.source, 1);
}

}  // namespace odonata::profile::tests::mender_test
