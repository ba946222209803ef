#include "odonata/workload/playback/rank_player.hpp"

#include <algorithm>
#include <cmath>

#include "odonata/trace/functions.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::playback {

namespace {

using trace::Call;
using trace::Op;
using trace::Record;

constexpr int most_passed = 4096;     // at a time, so that a run can be interrupted
constexpr int enough_questions = 16;  // of a rank, each right after another one

bool is_question(Op op) { return trace::is_poll(op) || op == Op::clock; }

SendMode mode_of(trace::Mode mode) {
  switch (mode) {
    case trace::Mode::buffered: return SendMode::buffered;
    case trace::Mode::synchronous: return SendMode::synchronous;
    case trace::Mode::ready: return SendMode::ready;
    default: return SendMode::standard;
  }
}

trace::Send sent_in(const trace::Exchange& both) {
  return {.to = both.to, .tag = both.send_tag, .bytes = both.bytes};
}

}  // namespace

RankPlayer::RankPlayer(const Rank& rank, Players& players)
    : rank_(rank),
      players_(players),
      first_(rank.number() - rank.index()),
      communicators_(rank, players),
      requests_(rank) {
  rank_.receive_any_length();  // the program's library finds truncation
  if (!players.options().statistics) return;
  statistics_ = &players.options().statistics->ranks[rank.index()];
}

bool RankPlayer::next(Record& record) {
  players_.reach(rank_.now());
  return players_.source().next(rank_.index(), record);
}

// The last one is played, which looks whether it finds nothing indeed.
Time RankPlayer::pass(Record& record) {
  if (!trace::is_poll(record.call.op)) return 0;
  const Time start = rank_.now();
  Time now = start;
  std::int64_t events = 0;
  for (int passed = 0; passed < most_passed; ++passed) {
    const Call call = record.call;
    const Time over = players_.source().pass(rank_.index(), record);
    if (over < 0) break;
    const Time computed = compute_before(call);
    events += computed > 0 ? 2 : 1;
    count(call);
    add_time(call, over - now - computed);
    watch(call, {}, trace::Found::flag_off, {now + computed, over});
    now = over;
  }
  if (events > 0) rank_.pass_over(events - 1);  // all of them are one event
  return now - start;
}

Time RankPlayer::compute_before(const Call& call) const { return players_.computing(call.compute); }

void RankPlayer::enter(const Record& record) {
  const Call& call = record.call;
  const auto names = trace::function_names();
  const bool known = call.function < names.size();
  rank_.enter(known ? names[call.function] : std::string_view{}, call.op == Op::collective,
              static_cast<int>(call.comm));
  items_.clear();
  waiting_.clear();
  entered_ = rank_.now();
  count(call);
}

void RankPlayer::leave(const Record& record) {
  rank_.leave();
  if (asked_ && !is_question(record.call.op)) asked_ = record.call.op == Op::local;
  add_time(record.call, rank_.now() - entered_);
  watch(record.call, record.words, found_in(record), {entered_, rank_.now()});
}

void RankPlayer::watch(const Call& call, std::span<const std::uint64_t> words, trace::Found found,
                       Span time) const {
  if (const auto& watcher = players_.options().watcher)
    watcher->called(rank_.index(), call, words, found, time.begin, time.end);
}

void RankPlayer::count(const Call& call) {
  if (statistics_ == nullptr || call.function >= trace::function_names().size()) return;
  if (call.function >= statistics_->calls.size()) statistics_->calls.resize(call.function + 1U);
  statistics_->calls[call.function] += static_cast<std::uint32_t>(call.times());
}

void RankPlayer::add_time(const Call& call, Time duration) {
  if (statistics_ == nullptr) return;
  statistics_->time[static_cast<std::size_t>(call.op)] += duration;
  statistics_->compute += compute_before(call);
}

trace::Found RankPlayer::found_in(const Record& record) const {
  if (!record.call.wants_answer()) return trace::Found::unknown;
  return answer_.flag == 0 ? trace::Found::flag_off : trace::Found::flag_on;
}

// ---- calls that wait for messages, if at all

bool RankPlayer::is_plain(Op op) {
  switch (op) {
    case Op::wait_any:
    case Op::wait_some:
    case Op::test:
    case Op::test_any:
    case Op::test_some:
    case Op::probe:
    case Op::iprobe:
    case Op::mprobe:
    case Op::improbe:
    case Op::collective:
    case Op::clock: return false;
    default: return true;
  }
}

void RankPlayer::start(const Record& record) {
  const Call& call = record.call;
  switch (call.op) {
    case Op::send: return add(send(record, call.send));
    case Op::recv: return add(receive(record, call.receive.source, call.receive.tag));
    case Op::sendrecv:
      add(receive(record, call.exchange.source, call.exchange.receive_tag));
      return add(send(record, sent_in(call.exchange)));
    case Op::isend: return requests_.open(call.request, send(record, call.send));
    case Op::irecv:
      return requests_.open(call.request, receive(record, call.receive.source, call.receive.tag));
    case Op::mrecv: return add(receive_matched(call.receive.message));
    case Op::imrecv: return requests_.open(call.request, receive_matched(call.receive.message));
    case Op::wait: add_listed(record); return rank_.look_at(items_.size());
    case Op::cancel: return cancel(record);
    case Op::icollective: return start_collective(record);
    case Op::communicator: return communicators_.add(record);
    case Op::phase: return rank_.phase("phase " + std::to_string(call.phase.level));
    case Op::abort: throw Aborted(rank_.index(), call.abort.code);
    default: return;  // costs nothing
  }
}

void RankPlayer::finish(const Record& record) {
  if (record.call.op != Op::cancel) answer(record, true);
}

Open RankPlayer::send(const Record& record, const trace::Send& call) {
  Open made{Open::Kind::send, false, {}, 0};
  if (call.to == trace::nobody) return made;
  const std::uint32_t comm = record.call.comm;
  const std::int32_t to = communicators_.number_of(comm, call.to);
  const Envelope said = communicators_.envelope(comm, any_source, call.tag);
  sent_buffered_ |= call.mode == trace::Mode::buffered;
  made.request = rank_.isend(Address{to, said.tag, said.context}, {input, 0, call.bytes},
                             {mode_of(call.mode), num_sent_++});
  return made;
}

Open RankPlayer::receive(const Record& record, std::int32_t peer, std::int32_t tag) {
  Open made{Open::Kind::receive, false, {}, 0};
  if (peer == trace::nobody) return made;
  const auto& found = record.found.outcomes;
  if (record.decided && !found.empty() && found.front().source == trace::nobody) {
    made.cancelled = true;
    return made;
  }
  made.request = rank_.irecv(wanted(record, peer, tag), {});
  return made;
}

Open RankPlayer::receive_matched(std::uint32_t number) {
  const Open matched = requests_.at(number);
  if (matched.kind != Open::Kind::message)
    throw UserError("rank " + std::to_string(rank_.index()) + ": message", number,
                    "numbers of messages that its probes have matched");
  requests_.close(number);
  return {Open::Kind::receive, false, rank_.irecv(MatchedMessage{matched.message, {}}, {}), 0};
}

// Envelope of a receive or probe; a decided one has its source.
Envelope RankPlayer::wanted(const Record& record, std::int32_t peer, std::int32_t tag) const {
  Envelope envelope = communicators_.envelope(record.call.comm, peer, tag);
  const auto& found = record.found.outcomes;
  if (!record.decided || peer != trace::any || found.empty()) return envelope;
  const std::int32_t source = found.front().source;
  if (source < 0 || source >= rank_.size())
    throw UserError("message: source", source, "0 to " + std::to_string(rank_.size() - 1));
  envelope.source = first_ + source;
  return envelope;
}

void RankPlayer::cancel(const Record& record) {
  const Open& open = requests_.at(record.call.request);
  bool cancelled = open.cancelled;
  if (!record.decided && open.kind == Open::Kind::receive) cancelled = rank_.cancel(open.request);
  answer(record, cancelled);
}

// ---- completion of calls

void RankPlayer::add(const Open& open, std::uint32_t index, std::uint32_t number) {
  items_.push_back({index, number, open});
  waiting_.push_back(open.request);
}

void RankPlayer::add_listed(const Record& record) {
  const std::uint32_t one = record.call.request;
  if (record.words.empty() && one != trace::no_request) return add(requests_.at(one), 0, one);
  for (std::uint32_t i = 0; i < record.words.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(record.words[i]);
    if (number != trace::no_request) add(requests_.at(number), i, number);
  }
}

// Only requests that a recorded call found complete.
void RankPlayer::keep_found(const Record& record) {
  const std::vector<Item> all = std::exchange(items_, {});
  waiting_.clear();
  for (const trace::Outcome& found : record.found.outcomes)
    for (const Item& item : all)
      if (item.index == found.index) add(item.open, item.index, item.number);
}

// Only the first that are complete.
void RankPlayer::keep_done(std::size_t most) {
  const std::vector<Item> all = std::exchange(items_, {});
  waiting_.clear();
  for (const Item& item : all)
    if (items_.size() < most && rank_.done(item.open.request))
      add(item.open, item.index, item.number);
}

// Retires the requests that the call has completed, and tells the rank if it asked.
void RankPlayer::answer(const Record& record, bool flag) {
  const bool wanted = record.call.wants_answer();
  answer_.outcomes.clear();
  for (const Item& item : items_) {
    const Status status = rank_.retire(item.open.request);
    if (item.number != trace::no_request) requests_.close(item.number);
    const bool tells = item.number != trace::no_request || item.open.kind == Open::Kind::receive;
    if (wanted && tells) answer_.outcomes.push_back(outcome(item, status));
  }
  if (!wanted) return;
  answer_.now = rank_.now();
  answer_.flag = flag ? 1 : 0;
  give_lookahead(record);
  players_.source().answer(rank_.index(), answer_);
}

void RankPlayer::begin_poll(Time cost) {
  if (!players_.options().lookahead) return;
  touches_ = rank_.touches();
  poll_ends_ = rank_.now() + cost;
  players_.add_poller(*this);
}

void RankPlayer::end_poll(const Record& record) {
  if (players_.options().lookahead) players_.remove_poller(*this);
  answer(record, false);
}

void RankPlayer::answer_poll_early() const {
  if (rank_.touches() != touches_) return;
  const Time quiet = rank_.quiet_beyond(poll_ends_);
  if (quiet != 0)
    players_.source().answer_early(rank_.index(), {poll_ends_, 0, touches_, quiet, 0, {}});
}

// Until when nothing changes for the rank, if nothing has since the call looked: the rank answers
// the same questions itself.
void RankPlayer::give_lookahead(const Record& record) {
  if (!players_.options().lookahead) return;
  const bool clock = record.call.op == Op::clock;
  answer_.undisturbed = undisturbed() ? 1 : 0;
  count_question(clock ? !undisturbed() : answer_.flag == 0);
  answer_.touches = rank_.touches();
  const bool unchanged = clock || (answer_.flag == 0 && answer_.touches == touches_);
  answer_.quiet_until = unchanged ? rank_.quiet_until() : 0;
}

// Expected messages are recorded only if a rank asks again and again without another call between,
// where lookahead would have answered it.
void RankPlayer::count_question(bool question) {
  if (asked_ && question && ++asked_again_ == enough_questions) rank_.begin_lookahead();
  asked_ = question;
}

trace::Outcome RankPlayer::outcome(const Item& item, const Status& status) const {
  trace::Outcome found;
  found.index = item.index;
  found.tag = trace::any;
  found.cancelled = item.open.cancelled || status.cancelled ? 1 : 0;
  const bool message = item.open.kind == Open::Kind::receive && item.open.request.id != 0;
  if (!message || found.cancelled != 0) return found;
  found.source = status.source;
  found.tag = status.tag;
  found.serial = status.serial;
  found.bytes = status.bytes;
  return found;
}

}  // namespace odonata::playback
