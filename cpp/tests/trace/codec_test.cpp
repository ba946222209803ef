// Calls and answers as bytes: a round trip keeps them, and nothing is believed before it is
// checked.
#include "odonata/trace/codec.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "check.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::trace::tests::codec_test {

namespace {

using Bytes8 = std::vector<std::byte>;

Bytes8 encoded(const Call& call, std::span<const std::uint64_t> words = {},
               std::optional<Time> known_end = std::nullopt) {
  Bytes8 all;
  encode(call, words, known_end, [&](std::span<const std::byte> some) {
    std::copy(some.begin(), some.end(), std::back_inserter(all));
  });
  return all;
}

template <class View>
Call call_of(Op op, const View& view) {
  Call call;
  call.op = op;
  call.set(view);
  return call;
}

}  // namespace

TEST("codec/a call comes out with its view, its words and its lookahead") {
  Call call = call_of(Op::sendrecv,
                      Exchange{.to = 3, .send_tag = 4, .bytes = 5, .source = 6, .receive_tag = 7});
  call.function = 11, call.comm = 12, call.request = 13, call.compute = 14, call.flags = Call::more;
  const std::vector<std::uint64_t> words{21, 22};
  const Bytes8 bytes = encoded(call, words, 99);
  CHECK_EQUAL(bytes.size(), sizeof(Call) + 2 * 8 + 8);
  Record got;
  const Decoded decoded = decode(bytes, 0, got);
  CHECK_EQUAL(decoded.bytes, bytes.size());
  CHECK_EQUAL(decoded.known_end, 99);
  CHECK(got.words == words);
  CHECK_EQUAL(got.call.flags, Call::more);
  CHECK_EQUAL(got.call.function, 11);
  CHECK_EQUAL(got.call.comm, 12U);
  CHECK_EQUAL(got.call.request, 13U);
  CHECK_EQUAL(got.call.compute, 14);
  CHECK_EQUAL(got.call.exchange.to, 3);
  CHECK_EQUAL(got.call.exchange.send_tag, 4);
  CHECK_EQUAL(got.call.exchange.bytes, 5);
  CHECK_EQUAL(got.call.exchange.source, 6);
  CHECK_EQUAL(got.call.exchange.receive_tag, 7);
}

TEST("codec/calls follow each other, and one that is cut off waits for its rest") {
  Bytes8 bytes = encoded(call_of(Op::phase, Phase{-5}));
  const std::vector<std::uint64_t> words{7};
  const Bytes8 second = encoded(call_of(Op::communicator, Creation{.identity = ~0ULL}), words);
  bytes.insert(bytes.end(), second.begin(), second.end());
  Record got;
  for (std::size_t size = 0; size < sizeof(Call); ++size)
    CHECK_EQUAL(decode(std::span(bytes).first(size), 0, got).bytes, 0U);
  const Decoded first = decode(bytes, 0, got);
  CHECK_EQUAL(first.bytes, sizeof(Call));
  CHECK_EQUAL(first.known_end, -1);
  CHECK_EQUAL(got.call.phase.level, -5);
  const auto rest = std::span(bytes).subspan(first.bytes);
  CHECK_EQUAL(decode(rest.first(rest.size() - 1), 0, got).bytes, 0U);
  CHECK_EQUAL(decode(rest, 0, got).bytes, rest.size());
  CHECK_EQUAL(got.call.communicator.identity, ~0ULL);
}

TEST("codec/the members of a large communicator take little, whatever the rank's lookahead") {
  std::vector<std::uint64_t> members(5000);
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = 3 * i;
  const Call call = call_of(Op::communicator, Creation{.identity = 5});
  const Bytes8 bytes = encoded(call, members, 99);
  CHECK_EQUAL(bytes.size(), sizeof(Call) + 3 * 8 + 8);
  CHECK(!peek(std::span(bytes).first(bytes.size() - 1)));
  Record got;
  const Decoded decoded = decode(bytes, 0, got);
  CHECK_EQUAL(decoded.bytes, bytes.size());
  CHECK_EQUAL(decoded.known_end, 99);
  CHECK(got.words == members);
  CHECK_EQUAL(got.call.num_words, 5000U);
  CHECK_EQUAL(got.call.flags, 0);
}

TEST("codec/a call is seen before it is read, if it is whole") {
  const std::vector<std::uint64_t> words{7};
  for (const std::optional<Time> known_end : {std::optional<Time>{}, std::optional<Time>{5}}) {
    const Bytes8 bytes = encoded(call_of(Op::test, Probe{}), words, known_end);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK(!peek(std::span(bytes).first(size)));
    const std::optional<Call> seen = peek(bytes);
    CHECK(seen.has_value());
    CHECK(seen->op == Op::test);
    CHECK_EQUAL((seen->flags & Call::known) != 0, known_end.has_value());
  }
}

TEST("codec/bytes that are no call are refused before memory is taken") {
  const auto refused = [](auto change) {
    Bytes8 bytes = encoded(Call{});
    Call call;
    change(call);
    std::memcpy(bytes.data(), &call, sizeof call);
    Record got;
    CHECK_THROWS(InternalError, decode(bytes, 0, got));
    CHECK(got.words.capacity() == 0);
  };
  refused([](Call& call) { call.num_words = 0xffffffff; });
  refused([](Call& call) { call.op = static_cast<Op>(num_ops); });
  refused([](Call& call) { call.function = 0xffff; });
  Bytes8 bytes = encoded(Call{}, std::vector<std::uint64_t>{0, 1, ~0ULL});
  bytes[offsetof(Call, flags)] = std::byte{Call::in_runs};
  Record got;
  CHECK_THROWS(InternalError, decode(bytes, 0, got));
}

TEST("codec/an answer comes out with its outcomes") {
  Answer answer;
  answer.now = 1, answer.flag = 2, answer.touches = 3, answer.quiet_until = 4;
  answer.undisturbed = 1;
  answer.outcomes = {{.index = 5, .source = 6}, {.tag = 7, .serial = 8, .bytes = 9}};
  Bytes8 bytes(encoded_bytes(answer));
  encode(answer, bytes.data());
  const Answer got = decode_answer(bytes.data());
  CHECK_EQUAL(got.now, 1);
  CHECK_EQUAL(got.flag, 2);
  CHECK_EQUAL(got.touches, 3U);
  CHECK_EQUAL(got.quiet_until, 4);
  CHECK_EQUAL(got.undisturbed, 1U);
  CHECK_EQUAL(got.outcomes.size(), 2U);
  CHECK_EQUAL(got.outcomes[0].index, 5U);
  CHECK_EQUAL(got.outcomes[0].source, 6);
  CHECK_EQUAL(got.outcomes[1].serial, 8U);
  CHECK_EQUAL(got.outcomes[1].bytes, 9);
}

TEST("codec/fields of a view lie one after the other and have names of their own") {
  std::string_view view = "none";
  std::size_t end = 0;
  for (const Field& field : fields()) {
    if (field.view != view) end = field.view.empty() ? 0 : offsetof(Call, view);
    view = field.view;
    CHECK_EQUAL(field.offset, end);
    end += field.bytes;
    CHECK(end <= sizeof(Call));
  }
}

}  // namespace odonata::trace::tests::codec_test
