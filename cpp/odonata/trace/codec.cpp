#include "odonata/trace/codec.hpp"

#include <string>
#include <type_traits>

#include "odonata/trace/functions.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::trace {

namespace {

constexpr std::uint32_t most_words = 1U << 28;

// The contents of an answer, before its outcomes.
struct AnswerHead {
  Time now;          // [ps]
  Time quiet_until;  // [ps]
  std::int32_t flag;
  std::uint32_t touches;
  std::uint32_t undisturbed;
  std::uint32_t num_outcomes;
};

template <class T>
constexpr bool negative() {
  if constexpr (std::is_enum_v<T>)
    return std::is_signed_v<std::underlying_type_t<T>>;
  else
    return std::is_signed_v<T>;
}

constexpr std::size_t place_of_view = offsetof(Call, view);

#define ODONATA_HEAD(name)                                                                         \
  Field { "", #name, offsetof(Call, name), sizeof(Call::name), negative<decltype(Call::name)>() }
#define ODONATA_FIELD(view, Type, name)                                                            \
  Field {                                                                                          \
    view, #name, place_of_view + offsetof(Type, name), sizeof(Type::name),                         \
        negative<decltype(Type::name)>()                                                           \
  }
constexpr Field all_fields[] = {
    ODONATA_HEAD(function),
    Field{"", "operation", offsetof(Call, op), sizeof(Call::op), false},
    ODONATA_HEAD(flags),
    ODONATA_HEAD(comm),
    ODONATA_HEAD(request),
    ODONATA_HEAD(num_words),
    ODONATA_HEAD(compute),
    ODONATA_FIELD("send", Send, to),
    ODONATA_FIELD("send", Send, tag),
    ODONATA_FIELD("send", Send, bytes),
    ODONATA_FIELD("send", Send, mode),
    ODONATA_FIELD("receive", Receive, source),
    ODONATA_FIELD("receive", Receive, tag),
    ODONATA_FIELD("receive", Receive, bytes),
    ODONATA_FIELD("receive", Receive, message),
    ODONATA_FIELD("exchange", Exchange, to),
    ODONATA_FIELD("exchange", Exchange, send_tag),
    ODONATA_FIELD("exchange", Exchange, bytes),
    ODONATA_FIELD("exchange", Exchange, source),
    ODONATA_FIELD("exchange", Exchange, receive_tag),
    ODONATA_FIELD("probe", Probe, source),
    ODONATA_FIELD("probe", Probe, tag),
    ODONATA_FIELD("collective", CollectiveCall, bytes),
    ODONATA_FIELD("collective", CollectiveCall, root),
    ODONATA_FIELD("collective", CollectiveCall, operation),
    ODONATA_FIELD("communicator", Creation, identity),
    ODONATA_FIELD("communicator", Creation, position),
    ODONATA_FIELD("communicator", Creation, num_local),
    ODONATA_FIELD("clock", Question, asker),
    ODONATA_FIELD("clock", Question, again),
    ODONATA_FIELD("phase", Phase, level),
    ODONATA_FIELD("abort", Abort, code),
};
#undef ODONATA_HEAD
#undef ODONATA_FIELD

// Every byte of a view has a name, but for `reserved`.
constexpr std::size_t named_bytes(std::string_view view) {
  std::size_t bytes = 0;
  for (const Field& field : all_fields)
    if (field.view == view) bytes += field.bytes;
  return bytes;
}
static_assert(named_bytes("") == place_of_view);
static_assert(named_bytes("send") + sizeof(Send::reserved) == sizeof(Send));
static_assert(named_bytes("receive") + sizeof(Receive::reserved) == sizeof(Receive));
static_assert(named_bytes("exchange") == sizeof(Exchange));
static_assert(named_bytes("probe") == sizeof(Probe));
static_assert(named_bytes("collective") == sizeof(CollectiveCall));
static_assert(named_bytes("communicator") == sizeof(Creation));
static_assert(named_bytes("clock") == sizeof(Question));
static_assert(named_bytes("phase") == sizeof(Phase));
static_assert(named_bytes("abort") == sizeof(Abort));

bool is_known(const Call& call) { return (call.flags & Call::known) != 0; }
bool is_in_runs(const Call& call) { return (call.flags & Call::in_runs) != 0; }

[[noreturn]] void refuse(int rank) {
  throw InternalError("rank " + std::to_string(rank) + " wrote something that is not a call");
}

// The words of a call that was written in runs, in full.
void unroll(Record& record, int rank) {
  auto words = words_of(record.words, most_words);
  if (!words) refuse(rank);
  record.words = *std::move(words);
  record.call.num_words = static_cast<std::uint32_t>(record.words.size());
}

std::size_t encoded_bytes(const Call& call) {
  return sizeof(Call) + call.num_words * sizeof(std::uint64_t) +
         (is_known(call) ? sizeof(Time) : 0);
}

}  // namespace

std::optional<Call> peek(std::span<const std::byte> from) {
  if (from.size() < sizeof(Call)) return std::nullopt;
  Call call;
  std::memcpy(&call, from.data(), sizeof call);
  if (from.size() < encoded_bytes(call)) return std::nullopt;
  return call;
}

Decoded decode(std::span<const std::byte> from, int rank, Record& record) {
  Decoded got;
  if (from.size() < sizeof(Call)) return got;
  Call& call = record.call;
  std::memcpy(&call, from.data(), sizeof call);
  if (call.num_words > most_words || static_cast<int>(call.op) >= num_ops ||
      call.function >= function_names().size())
    refuse(rank);
  const bool known = is_known(call);
  const std::size_t words = call.num_words * sizeof(std::uint64_t);
  const std::size_t bytes = encoded_bytes(call);
  if (from.size() < bytes) return got;
  record.words.resize(call.num_words);
  if (words > 0) std::memcpy(record.words.data(), from.data() + sizeof(Call), words);
  if (known) std::memcpy(&got.known_end, from.data() + sizeof(Call) + words, sizeof got.known_end);
  if (is_in_runs(call)) unroll(record, rank);
  call.flags &= static_cast<std::uint8_t>(~(Call::known | Call::in_runs));
  got.bytes = bytes;
  return got;
}

std::size_t encoded_bytes(const Answer& answer) {
  return sizeof(AnswerHead) + answer.outcomes.size() * sizeof(Outcome);
}

void encode(const Answer& answer, std::byte* to) {
  const AnswerHead head{answer.now,         answer.quiet_until,
                        answer.flag,        answer.touches,
                        answer.undisturbed, static_cast<std::uint32_t>(answer.outcomes.size())};
  std::memcpy(to, &head, sizeof head);
  if (!answer.outcomes.empty())
    std::memcpy(to + sizeof head, answer.outcomes.data(), answer.outcomes.size() * sizeof(Outcome));
}

Answer decode_answer(const std::byte* from) {
  AnswerHead head{};
  std::memcpy(&head, from, sizeof head);
  Answer answer{head.now, head.flag, head.touches, head.quiet_until, head.undisturbed, {}};
  answer.outcomes.resize(head.num_outcomes);
  if (head.num_outcomes > 0)
    std::memcpy(answer.outcomes.data(), from + sizeof head, head.num_outcomes * sizeof(Outcome));
  return answer;
}

std::span<const Field> fields() { return all_fields; }

}  // namespace odonata::trace
