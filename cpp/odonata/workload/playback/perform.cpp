// Calls whose outcome depends on simulated time, and collectives.
#include <algorithm>
#include <utility>

#include "odonata/workload/playback/collective.hpp"
#include "odonata/workload/playback/rank_player.hpp"

namespace odonata::playback {

namespace {

using trace::Op;
using trace::Record;

}  // namespace

Task RankPlayer::perform(const Record& record) {
  switch (record.call.op) {
    case Op::wait_any:
    case Op::wait_some: return complete_some(record);
    case Op::test:
    case Op::test_any:
    case Op::test_some: return test(record);
    case Op::probe:
    case Op::mprobe: return probe(record);
    case Op::iprobe:
    case Op::improbe: return iprobe(record);
    case Op::collective: return collective(record);
    default: return clock(record);
  }
}

// These look for complete requests when the rank has paid for its earlier calls.
Task RankPlayer::complete_some(const Record& record) {
  while (rank_.busy()) co_await rank_.sleep_until(rank_.now());
  add_listed(record);
  rank_.look_at(items_.size());
  if (record.decided) {
    keep_found(record);
    co_await rank_.complete_all(waiting_);
  } else {
    co_await rank_.complete_any(waiting_);
    keep_done(record.call.op == Op::wait_any ? 1 : items_.size());
  }
  answer(record, true);
}

Task RankPlayer::test(const Record& record) {
  while (rank_.busy()) co_await rank_.sleep_until(rank_.now());
  add_listed(record);
  const Time look = rank_.look_time(items_.size());
  if (finds(record)) {
    if (look > 0) rank_.occupy(look, Work::look);
    co_await rank_.complete_all(waiting_);
    answer(record, true);
    co_return;
  }
  items_.clear();
  const Time cost = players_.options().poll + look;
  begin_poll(cost);
  co_await rank_.work(cost, Work::poll);
  end_poll(record);
}

// True if a test succeeds; keeps its findings.
bool RankPlayer::finds(const Record& record) {
  if (record.decided) {
    keep_found(record);
    return record.found.flag != 0;
  }
  if (waiting_.empty()) return true;
  const auto done = [this](Request request) { return rank_.done(request); };
  if (record.call.op == Op::test) return std::all_of(waiting_.begin(), waiting_.end(), done);
  keep_done(record.call.op == Op::test_any ? 1 : items_.size());
  return !items_.empty();
}

Task RankPlayer::probe(const Record& record) {
  const trace::Probe& call = record.call.probe;
  if (call.source == trace::nobody) {
    answer(record, true);
    co_return;
  }
  const Envelope message = wanted(record, call.source, call.tag);
  const Status status = co_await rank_.probe(message);
  if (record.call.op == Op::mprobe || record.call.op == Op::improbe) {
    const std::optional<MatchedMessage> matched = rank_.improbe(message);
    requests_.open(record.call.request, {Open::Kind::message, false, {}, matched->message});
  }
  answer_message(record, status);
}

Task RankPlayer::iprobe(const Record& record) {
  while (rank_.busy()) co_await rank_.sleep_until(rank_.now());
  const trace::Probe& call = record.call.probe;
  bool there = record.found.flag != 0;
  if (!record.decided)
    there = call.source == trace::nobody || rank_.iprobe(wanted(record, call.source, call.tag));
  if (there) {
    Task look = probe(record);
    co_await look;
    co_return;
  }
  begin_poll(players_.options().poll);
  co_await rank_.work(players_.options().poll, Work::poll);
  end_poll(record);
}

void RankPlayer::answer_message(const Record& record, const Status& status) {
  if (!record.call.wants_answer()) return;
  answer_.now = rank_.now();
  answer_.flag = 1;
  answer_.quiet_until = 0;
  answer_.undisturbed = undisturbed() ? 1 : 0;
  answer_.outcomes = {{0, status.source, status.tag, status.serial, status.bytes, 0, 0}};
  players_.source().answer(rank_.index(), answer_);
}

Task RankPlayer::clock(const Record& record) {
  answer(record, true);
  co_return;
}

// ---- collectives

Task RankPlayer::make_collective(const Rank& group, const Record& record) {
  const Members& others = communicators_.remote(record.call.comm);
  const bool counts_local =
      !others || record.call.collective.operation == trace::Collective::reduce_scatter;
  const int peers = counts_local ? group.size() : static_cast<int>(others->size());
  CollectiveCall call = collective_call(record, peers);
  if (!others) return playback::collective(group, std::move(call), players_);
  return collective_between(group, group.on(others, -1, group.context()), std::move(call),
                            players_);
}

Task RankPlayer::collective(const Record& record) {
  Task run = make_collective(communicators_.for_collective(record.call.comm, true), record);
  co_await run;
  answer(record, true);
}

void RankPlayer::start_collective(const Record& record) {
  const Rank group = communicators_.for_collective(record.call.comm, false);
  const Request request =
      group.start([&](const Rank& beside) { return make_collective(beside, record); });
  requests_.open(record.call.request, {Open::Kind::collective, false, request, 0});
}

}  // namespace odonata::playback
