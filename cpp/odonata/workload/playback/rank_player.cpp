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

SendMode mode_of(trace::Mode mode) {
  switch (mode) {
    case trace::Mode::buffered: return SendMode::buffered;
    case trace::Mode::synchronous: return SendMode::synchronous;
    case trace::Mode::ready: return SendMode::ready;
    default: return SendMode::standard;
  }
}

}  // namespace

RankPlayer::RankPlayer(const Rank& rank, Job& job)
    : rank_(rank),
      job_(job),
      first_(rank.number() - rank.index()),
      communicators_(rank, job),
      requests_(rank) {
  rank_.world().receive_any_length(rank_.number());  // the program's library finds truncation
  if (!job.options().statistics) return;
  statistics_ = &job.options().statistics->ranks[static_cast<std::size_t>(rank.index())];
}

bool RankPlayer::next(Record& record) { return job_.source().next(rank_.index(), record); }

Time RankPlayer::compute_before(const Record& record) const {
  if (record.call.compute <= 0) return 0;
  constexpr double picoseconds = 1000;  // a nanosecond
  const double time =
      static_cast<double>(record.call.compute) * picoseconds * job_.options().compute_scale;
  return std::llround(std::min(time, 2.0 * latest));
}

void RankPlayer::enter(const Record& record) {
  const Call& call = record.call;
  const auto names = trace::function_names();
  const bool known = call.function < names.size();
  rank_.world().enter(rank_.number(), known ? names[call.function] : std::string_view{});
  items_.clear();
  waiting_.clear();
  entered_ = rank_.now();
  if (statistics_ == nullptr || !known) return;
  if (call.function >= statistics_->calls.size()) statistics_->calls.resize(call.function + 1U);
  if ((call.flags & trace::Call::more) == 0) ++statistics_->calls[call.function];
}

void RankPlayer::leave(const Record& record) {
  rank_.world().enter(rank_.number(), {});
  if (statistics_ == nullptr) return;
  statistics_->time[static_cast<std::size_t>(record.call.op)] += rank_.now() - entered_;
  statistics_->compute += compute_before(record);
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

void RankPlayer::post(const Record& record) {
  const Call& call = record.call;
  switch (call.op) {
    case Op::send: return add(send(record));
    case Op::recv: return add(receive(record, call.peer, call.tag));
    case Op::sendrecv: add(receive(record, call.peer2, call.tag2)); return add(send(record));
    case Op::isend: return requests_.open(call.request, send(record));
    case Op::irecv: return requests_.open(call.request, receive(record, call.peer, call.tag));
    case Op::mrecv: return add(receive_taken(call.request));
    case Op::imrecv: return requests_.open(call.request, receive_taken(call.request2));
    case Op::wait: return add_listed(record);
    case Op::cancel: return cancel(record);
    case Op::icollective: return start_collective(record);
    case Op::communicator: return communicators_.add(record);
    case Op::phase: return rank_.phase("phase " + std::to_string(call.tag));
    case Op::abort: abort(call);
    default: return;  // costs nothing
  }
}

void RankPlayer::finish(const Record& record) {
  if (record.call.op != Op::cancel) answer(record, true);
}

Open RankPlayer::send(const Record& record) {
  const Call& call = record.call;
  Open made{Open::Kind::send, false, {}, 0};
  if (call.peer == trace::nobody) return made;
  const std::int32_t to = communicators_.number_of(call.comm, call.peer);
  const Envelope said = communicators_.envelope(call.comm, any_source, call.tag);
  made.request = rank_.world().isend(rank_.number(), to, {input, 0, call.bytes}, said.tag,
                                     said.context, {mode_of(call.mode), num_sent_++});
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
  const Envelope e = wanted(record, peer, tag);
  made.request = rank_.world().irecv(rank_.number(), e.source, {}, e.tag, e.context);
  return made;
}

Open RankPlayer::receive_taken(std::uint32_t number) {
  const Open taken = requests_.at(number);
  if (taken.kind != Open::Kind::message)
    throw UserError("request number " + std::to_string(number) + " is no message of a probe");
  requests_.close(number);
  return {Open::Kind::receive, false, rank_.irecv(Taken{taken.message, {}}, {}), 0};
}

// What a receive or probe asks for; one that has been decided knows its source.
Envelope RankPlayer::wanted(const Record& record, std::int32_t peer, std::int32_t tag) const {
  Envelope envelope = communicators_.envelope(record.call.comm, peer, tag);
  const auto& found = record.found.outcomes;
  if (!record.decided || peer != trace::any || found.empty()) return envelope;
  const std::int32_t source = found.front().source;
  if (source < 0 || source >= rank_.size())
    throw UserError("a message from rank " + std::to_string(source) + " of a job of " +
                    std::to_string(rank_.size()));
  envelope.source = first_ + source;
  return envelope;
}

void RankPlayer::cancel(const Record& record) {
  const Open& open = requests_.at(record.call.request);
  bool cancelled = open.cancelled;
  if (!record.decided && open.kind == Open::Kind::receive) cancelled = rank_.cancel(open.request);
  answer(record, cancelled);
}

void RankPlayer::abort(const Call& call) const { throw Aborted(rank_.index(), call.tag); }

// ---- what a call completes

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

// Only those that a recorded call found complete.
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

// Retires what the call has completed, and tells the rank if it asked.
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
  promise(record);
  job_.source().answer(rank_.index(), answer_);
}

void RankPlayer::begin_poll() {
  if (!job_.options().promises) return;
  touches_ = rank_.world().touches(rank_.number());
  poll_ends_ = rank_.now() + job_.options().poll;
  job_.add_poller(*this);
}

void RankPlayer::end_poll(const Record& record) {
  if (job_.options().promises) job_.remove_poller(*this);
  answer(record, false);
}

void RankPlayer::foretell_poll() const {
  World& world = rank_.world();
  if (world.touches(rank_.number()) != touches_) return;
  const Time quiet = world.quiet_beyond(rank_.number(), poll_ends_);
  if (quiet != 0)
    job_.source().foretell(rank_.index(), {poll_ends_, 0, touches_, quiet, patience_, {}});
}

// Until when nothing changes for the rank, if nothing has since the call looked: the rank answers
// itself what it asks again.
void RankPlayer::promise(const Record& record) {
  if (!job_.options().promises) return;
  World& world = rank_.world();
  const bool clock = record.call.op == Op::clock;
  answer_.touches = world.touches(rank_.number());
  answer_.patience = patience_;
  const bool unchanged = clock || (answer_.flag == 0 && answer_.touches == touches_);
  answer_.quiet_until = unchanged ? world.quiet_until(rank_.number()) : 0;
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
