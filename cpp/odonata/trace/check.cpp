#include "odonata/trace/check.hpp"

#include <algorithm>

#include "odonata/trace/functions.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::trace {

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;  // of a message or block
constexpr std::int64_t most_computed = 1'000'000'000'000'000;          // [ns] of a rank: 11 days

bool lists_requests(Op op) {
  return op == Op::wait || op == Op::wait_any || op == Op::wait_some || op == Op::test ||
         op == Op::test_any || op == Op::test_some;
}

bool is_collective(Op op) { return op == Op::collective || op == Op::icollective; }

bool names_unknown(const Call& call) {
  switch (call.kind()) {
    case Kind::send: return call.send.mode > Mode::ready;
    case Kind::collective: return static_cast<int>(call.collective.operation) >= num_collectives;
    case Kind::clock: return call.clock.asker > Asker::c_library;
    default: return false;
  }
}

// Size of the message or block [B].
std::int64_t bytes_of(const Call& call) {
  switch (call.kind()) {
    case Kind::send: return call.send.bytes;
    case Kind::receive: return call.receive.bytes;
    case Kind::exchange: return call.exchange.bytes;
    case Kind::collective: return call.collective.bytes;
    default: return 0;
  }
}

bool is_one_of(std::size_t number, std::initializer_list<std::size_t> allowed) {
  return std::find(allowed.begin(), allowed.end(), number) != allowed.end();
}

}  // namespace

CallChecker::CallChecker(int rank, int num_ranks)
    : rank_(rank),
      num_ranks_(num_ranks),
      communicators_{{static_cast<std::uint32_t>(num_ranks), 0}, {1, 0}} {}

void CallChecker::check(const Record& record) {
  const Call& call = record.call;
  check_numbers(call);
  computed_ += call.compute;
  if (computed_ > most_computed) refuse("more than 11 days of compute time");
  check_requests(record);
  if (call.op == Op::communicator)
    add_communicator(record);
  else
    check_peers(call);
  if (is_collective(call.op)) check_counts(record);
  for (const Outcome& outcome : record.found.outcomes)
    if (outcome.source < nobody || outcome.source >= num_ranks_ || outcome.bytes < 0)
      refuse("a message from no rank");
  ++num_calls_;
}

void CallChecker::check_numbers(const Call& call) const {
  if (static_cast<int>(call.op) >= num_ops || call.function >= function_names().size() ||
      names_unknown(call))
    refuse("an unknown operation");
  const std::int64_t bytes = bytes_of(call);
  if (bytes < 0 || bytes > most_bytes) refuse("bytes out of range");
  if (call.compute < 0 || call.compute > most_computed) refuse("a compute time out of range");
}

void CallChecker::check_requests(const Record& record) const {
  // Numbers are taken again when they are free, so they do not exceed the number of calls.
  const auto most = static_cast<std::uint64_t>(num_calls_) + 1;
  const Call& call = record.call;
  const bool matched = call.kind() == Kind::receive && call.receive.message > most;
  if (call.request > most || matched) refuse("a request that nothing opened");
  if (!lists_requests(call.op)) return;
  for (const std::uint64_t request : record.words)
    if (request == no_request || request > most) refuse("a request that nothing opened");
  const std::size_t listed = std::max<std::size_t>(record.words.size(), 1);
  for (const Outcome& outcome : record.found.outcomes)
    if (outcome.index >= listed) refuse("an outcome of a request that it does not list");
}

void CallChecker::check_peers(const Call& call) const {
  const Members sizes = members_of(call);
  const auto most = static_cast<std::int32_t>(sizes.remote > 0 ? sizes.remote : sizes.local);
  const auto check = [&](std::int32_t peer, std::int32_t least) {
    if (peer < least || peer >= most) refuse("a rank that its communicator does not have");
  };
  switch (call.kind()) {
    case Kind::send: return check(call.send.to, nobody);
    case Kind::receive: return check(call.receive.source, nobody);
    case Kind::exchange:
      check(call.exchange.to, nobody);
      return check(call.exchange.source, nobody);
    case Kind::probe: return check(call.probe.source, nobody);
    case Kind::collective: return check(call.collective.root, nobody);
    default: return;
  }
}

CallChecker::Members CallChecker::members_of(const Call& call) const {
  if (call.comm >= communicators_.size() || communicators_[call.comm].local == 0)
    refuse("a communicator that is not there");
  return communicators_[call.comm];
}

void CallChecker::add_communicator(const Record& record) {
  const Call& call = record.call;
  const std::size_t members = record.words.size();
  const Creation& made = call.communicator;
  const std::size_t local = made.num_local > 0 ? made.num_local : members;
  if (members == 0 || members > static_cast<std::size_t>(num_ranks_) || local > members)
    refuse("a communicator of no ranks");
  for (const std::uint64_t member : record.words)
    if (member >= static_cast<std::uint64_t>(num_ranks_)) refuse("a member that is no rank");
  if (made.position >= local || record.words[made.position] != static_cast<std::uint64_t>(rank_))
    refuse("a communicator without the rank itself");
  if (call.comm < 2 || call.comm > 4 * static_cast<std::uint64_t>(num_calls_) + 16)
    refuse("a communicator with a wrong number");
  if (call.comm >= communicators_.size()) communicators_.resize(call.comm + 1);
  communicators_[call.comm] = {static_cast<std::uint32_t>(local),
                               static_cast<std::uint32_t>(members - local)};
}

void CallChecker::check_counts(const Record& record) const {
  const Sizes kind = row_of(record.call.collective.operation).sizes;
  if (kind == Sizes::of_sources || kind == Sizes::of_neighbors) return check_neighbors(record);
  const Members sizes = members_of(record.call);
  const std::size_t given = record.words.size();
  const std::size_t n = sizes.remote > 0 ? sizes.remote : sizes.local;
  const std::size_t local = sizes.local;
  const bool right = kind == Sizes::alike      ? given == 0
                     : kind == Sizes::of_pairs ? is_one_of(given, {0, 2 * n})
                                               : is_one_of(given, {0, n, local});
  if (!right) refuse("a collective with a wrong number of blocks");
  for (const std::uint64_t bytes : record.words)
    if (bytes > static_cast<std::uint64_t>(most_bytes)) refuse("bytes out of range");
}

void CallChecker::check_neighbors(const Record& record) const {
  const std::vector<std::uint64_t>& words = record.words;
  if (words.empty()) return;
  const Members sizes = members_of(record.call);
  const bool to_each = row_of(record.call.collective.operation).sizes == Sizes::of_neighbors;
  std::size_t at = 0, sizes_given = 0;
  for (const bool sources : {true, false}) {
    if (at >= words.size() || words[at] >= words.size() - at) refuse("neighbours left out");
    const auto count = static_cast<std::size_t>(words[at]);
    for (std::size_t i = at + 1; i <= at + count; ++i)
      if (words[i] >= sizes.local) refuse("a neighbour that is no rank");
    at += count + 1;
    if (sources || to_each) sizes_given += count;
  }
  if (words.size() - at != sizes_given) refuse("neighbours without sizes");
  for (; at < words.size(); ++at)
    if (words[at] > static_cast<std::uint64_t>(most_bytes)) refuse("bytes out of range");
}

void CallChecker::refuse(const std::string& what) const {
  throw UserError("trace: rank " + std::to_string(rank_) + ", call " + std::to_string(num_calls_) +
                  ": " + what);
}

}  // namespace odonata::trace
