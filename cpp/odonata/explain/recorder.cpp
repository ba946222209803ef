#include "odonata/explain/recorder.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

// Gives the gaps of a rank to categories, from the first on: each gets what lies before its time.
class Recorder::Spread {
 public:
  Spread(Recorder& recorder, std::size_t rank)
      : recorder_(recorder), rank_(rank), begin_(state().gap.begin), end_(state().gap.end) {
    const std::size_t count = recorder.categories_.count();
    const bool over = state().over;
    of_rank_ = over ? recorder.unheard_.data() : &recorder.by_rank_[rank_ * count];
    of_scope_ = over ? recorder.unheard_.data() : &recorder.by_scope_[state().scope * count];
  }

  void until(Time time, std::size_t category) {
    if (time <= begin_) return;
    give(std::min(time, end_), category);
    if (begin_ == end_ && number_ + 1 < state().num_gaps) [[unlikely]]
      go_on(time, category);
  }

 private:
  [[nodiscard]] const State& state() const { return recorder_.states_[rank_]; }
  void give(Time end, std::size_t category) {
    of_rank_[category] += end - begin_;
    of_scope_[category] += end - begin_;
    begin_ = end;
  }
  void go_on(Time time, std::size_t category) {
    const Gap& gap = recorder_.more_gaps_[rank_][number_++];
    begin_ = gap.begin;
    end_ = gap.end;
    until(time, category);
  }

  Recorder& recorder_;
  std::size_t rank_;
  Time begin_, end_;  // [ps] of what has no category yet
  Time* of_rank_;
  Time* of_scope_;
  std::uint32_t number_ = 0;  // of the gap
};

void Recorder::add(std::int32_t job, bool background) {
  const auto rank = static_cast<std::int32_t>(states_.size());
  State& state = states_.emplace_back();
  state.background = state.over = background;
  more_gaps_.emplace_back();
  log_.lines.push_back({});
  log_.lines.back().job = job;
  by_rank_.resize(by_rank_.size() + categories_.count());
  Scope scope;
  scope.job = job;
  set_scope(rank, scope);
}

void Recorder::close() {
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    State& state = states_[rank];
    append(static_cast<std::int32_t>(rank), {LineEntry::scope, LineEntry::nothing});
    log_.lines[rank].last = state.last;
    log_.lines[rank].end = state.end;
    log_.lines[rank].scope = state.scope;
  }
}

// ---- ranks

void Recorder::append(std::int32_t rank, LineEntry entry) {
  if (!keeps_path_) return;
  State& state = states_[rank];
  const LineEntry before = std::exchange(state.open, entry);
  if (before.value() != LineEntry::nothing) state.last = log_.entries.add(before, state.last);
}

void Recorder::lengthen(std::int32_t rank, std::uint8_t kind, Time time) {
  State& state = states_[rank];
  state.end += time;
  if (kind < LineEntry::idle && state.open.kind() == kind)
    state.open.lengthen(time);
  else
    append(rank, {kind, static_cast<std::uint64_t>(time)});
}

void Recorder::add_time(std::int32_t rank, std::size_t category, Time time) {
  const State& state = states_[rank];
  if (state.over) return;
  by_rank_[static_cast<std::size_t>(rank) * categories_.count() + category] += time;
  by_scope_[state.scope * categories_.count() + category] += time;
}

void Recorder::add_part(Work what, Time time) {
  if (num_parts_ == parts_.size()) throw InternalError("explain: too many parts of a cost");
  parts_[num_parts_++] = {what, time};
}

void Recorder::work(std::int32_t rank, Work what, Time begin, Time cost) {
  if (is_of_program(what) && cost > 0 && !states_[rank].background)
    acts_.add({Act::Kind::work, rank, cost});
  close_gap(rank, begin);
  Time rest = cost;
  for (std::size_t i = 0; i < num_parts_; ++i) rest -= parts_[i].time;
  const auto add_share = [&](const Share& share) {
    if (share.time == 0) return;
    lengthen(rank, static_cast<std::uint8_t>(share.what), share.time);
    add_time(rank, categories_.of(share.what), share.time);
  };
  add_share({what, rest});
  for (std::size_t i = 0; i < num_parts_; ++i) add_share(parts_[i]);
  num_parts_ = 0;
}

// The processor had nothing to do up to now: what happens now ends the gap.
void Recorder::close_gap(std::int32_t rank, Time now) {
  const Time begin = states_[rank].end;
  if (begin == now) return;
  const std::uint32_t cause = transit();
  if (cause == Transit::none) {
    lengthen(rank, LineEntry::pause, now - begin);
    return add_time(rank, Categories::of(Category::pausing), now - begin);
  }
  add_gap(rank, {begin, now, cause});
  if (keeps_path_) append(rank, {LineEntry::cause, cause});
  lengthen(rank, LineEntry::idle, now - begin);
}

void Recorder::add_gap(std::int32_t rank, const Gap& gap) {
  State& state = states_[rank];
  if (state.num_gaps++ == 0)
    state.gap = gap;
  else
    more_gaps_[rank].push_back(gap);
}

void Recorder::resume(std::int32_t rank) {
  if (states_[rank].end < clock_.now) close_gap(rank, clock_.now);
  if (states_[rank].num_gaps > 0) attribute(rank);
}

void Recorder::finish(std::int32_t rank, Time now) {
  log_.lines[rank].finished = now;
  states_[rank].over = true;
}

void Recorder::enter(std::int32_t rank, std::string_view function, bool collective,
                     int communicator) {
  Scope scope;
  scope.job = log_.lines[rank].job;
  scope.phase = states_[rank].phase;
  scope.communicator = communicator;
  scope.collective = collective;
  scope.function = function;
  set_scope(rank, scope);
}

void Recorder::begin_phase(std::int32_t rank, std::int32_t phase) {
  states_[rank].phase = phase;
  Scope scope = log_.scopes[states_[rank].scope];
  scope.phase = phase;
  set_scope(rank, scope);
}

void Recorder::set_scope(std::int32_t rank, const Scope& scope) {
  std::string name{static_cast<char>(scope.collective)};
  for (const std::int32_t number : {scope.job, scope.phase, scope.communicator})
    name.append(reinterpret_cast<const char*>(&number), sizeof number);
  const auto next = static_cast<std::uint32_t>(log_.scopes.size());
  const auto [found, fresh] = scope_numbers_.try_emplace(name + scope.function, next);
  if (fresh) {
    log_.scopes.push_back(scope);
    by_scope_.resize(by_scope_.size() + categories_.count());
  }
  State& state = states_[rank];
  state.collective = scope.collective;
  const std::uint32_t before = std::exchange(state.scope, found->second);
  if (before != state.scope) append(rank, {LineEntry::scope, before});
}

// ---- messages

// A message that is handed over where no processor works is the effect of the event that happens.
void Recorder::launch(const Launch& launch) {
  const bool by_processor = states_[launch.launcher].end >= clock_.now;
  const std::uint32_t parent = by_processor ? Transit::none : transit();
  if (notes_.size() <= launch.message)
    notes_.resize(std::max<std::size_t>(launch.message + 1, 2 * notes_.size()));
  Note& note = notes_[launch.message];
  note.crossing = {clock_.now, launch.bytes,  launch.from, launch.to, launch.node,
                   parent,     Transit::none, launch.leg,  {}};
  if (keeps_path_ && launch.node >= 0)
    note.crossing.first = first_at_nic(note.crossing, launch.launcher);
  if (launch.leg == Leg::answer || launch.leg == Leg::data) return;
  note.sent = clock_.now;
  if (launch.leg == Leg::request && shakes_.size() <= launch.message)
    shakes_.resize(std::max<std::size_t>(launch.message + 1, 2 * shakes_.size()));
}

// The message with which the NIC became busy that this one comes to.
Recorder::Hand Recorder::first_at_nic(const Crossing& crossing, std::int32_t launcher) {
  const auto node = static_cast<std::size_t>(crossing.node);
  if (firsts_.size() <= node) firsts_.resize(static_cast<std::size_t>(machine_.num_nodes()));
  if (!network_->idle(crossing.node)) return firsts_[node];
  firsts_[node] = {crossing.handed, states_[launcher].background ? -1 : launcher, crossing.parent};
  return {};
}

void Recorder::happen_injected(std::uint32_t message) {
  trigger_ = {Trigger::Kind::injected, message, notes_[message].crossing};
  if (waits(trigger_.crossing.from)) transit();
}

void Recorder::happen_delivered(std::uint32_t message) {
  Note& note = notes_[message];
  note.crossing.transit = Transit::none;
  trigger_ = {Trigger::Kind::delivered, message, note.crossing};
  const Crossing& crossing = trigger_.crossing;
  if (crossing.leg == Leg::datagram) return keep_datagram();
  if (crossing.leg == Leg::answer) shakes_[message].answered = clock_.now;
  if (crossing.leg == Leg::request) shakes_[message].asked = clock_.now;
  if (waits(crossing.leg == Leg::answer ? crossing.from : crossing.to)) transit();
}

// Only the last of the messages that nobody receives can end the run.
void Recorder::keep_datagram() {
  if (!keeps_path_ || states_[trigger_.crossing.from].background) return;
  if (last_datagram_ != Transit::none && last_datagram_ + 1 == log_.transits.size())
    log_.transits.take_back();
  last_datagram_ = keep();
}

std::uint32_t Recorder::transit() {
  Crossing& crossing = trigger_.crossing;
  const bool ends =
      trigger_.kind == Trigger::Kind::injected || trigger_.kind == Trigger::Kind::delivered;
  if (ends && crossing.transit == Transit::none) {
    crossing.transit = keep();
    notes_[trigger_.message].crossing.transit = crossing.transit;
  }
  return crossing.transit;
}

std::uint32_t Recorder::keep() {
  if (!keeps_path_ && log_.transits.size() >= most_transits_) forget();
  const Crossing& crossing = trigger_.crossing;
  Transit kept;
  kept.handed = crossing.handed;
  kept.from = crossing.from;
  kept.to = crossing.to;
  kept.kind = static_cast<std::uint64_t>(crossing.leg) & 0x3f;
  kept.bytes = static_cast<std::uint64_t>(crossing.bytes) & Transit::most_bytes;
  std::span<const Piece> way;
  if (crossing.node < 0) {
    way_.clear();
    const Time bytes = machine_.node_bandwidth.time_of(crossing.bytes);
    add_piece(way_, WayPart::node_latency, 0, clock_.now - crossing.handed - bytes);
    add_piece(way_, WayPart::node_bytes, 0, bytes);
    way = way_;
  } else {
    const bool leaves = trigger_.kind == Trigger::Kind::injected;
    way = network_->tell_way(trigger_.message, leaves ? Reached::network : Reached::node);
  }
  return log_.transits.add(kept, way, crossing.parent, turn_of(crossing));
}

// A wait for credit or for the window depends on more than the messages before.
std::optional<Turn> Recorder::turn_of(const Crossing& crossing) const {
  const Hand& first = crossing.first;
  if (first.launcher < 0) return {};
  const std::optional<Time> gaps = network_->gaps_before(trigger_.message);
  if (!gaps) return {};
  return Turn{first.handed, *gaps, first.launcher, first.parent, machine_.injection(crossing.node)};
}

template <class Visit>
void Recorder::visit_transits(Visit visit) {
  visit(trigger_.crossing.transit);
  for (Note& note : notes_) visit(note.crossing.transit);
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    if (states_[rank].num_gaps > 0) visit(states_[rank].gap.transit);
    for (Gap& gap : more_gaps_[rank]) visit(gap.transit);
  }
}

// Forgets the transits for which nobody can ask any more.
void Recorder::forget() {
  std::vector<std::uint32_t> numbers(log_.transits.size(), Transit::none);
  visit_transits([&](std::uint32_t transit) {
    if (transit != Transit::none) numbers[transit] = 0;
  });
  log_.transits.forget(numbers);
  visit_transits([&](std::uint32_t& transit) {
    if (transit != Transit::none) transit = numbers[transit];
  });
  most_transits_ = std::max(most_transits_, 2 * log_.transits.size());
}

// ---- waits

// A strand goes on, so the message for which it does takes the gaps since the last one went on.
void Recorder::attribute(std::int32_t rank) {
  State& state = states_[rank];
  Spread spread(*this, static_cast<std::size_t>(rank));
  if (const Crossing& crossing = trigger_.crossing; crossing.transit != Transit::none) {
    tell_lateness(spread, rank == crossing.to, state.collective);
    tell_way(spread, log_.transits[crossing.transit]);
  } else {
    const Gap& gap = state.num_gaps > 1 ? more_gaps_[rank].back() : state.gap;
    const Transit& last = log_.transits[gap.transit];
    spread.until(last.handed, Categories::of(Category::late_sender));
    tell_way(spread, last);
  }
  // A message that has come is held until earlier ones of its pair have.
  spread.until(clock_.now, Categories::of(Category::matching));
  if (state.num_gaps > 1) more_gaps_[rank].clear();
  state.num_gaps = 0;
}

// Up to the hand-over of the leg that decides.
void Recorder::tell_lateness(Spread& spread, bool receives, bool collective) const {
  const Crossing& crossing = trigger_.crossing;
  const auto late = [&](Category which) {
    return Categories::of(collective ? Category::late_in_collective : which);
  };
  const std::size_t shakes = Categories::of(Category::rendezvous);
  spread.until(notes_[trigger_.message].sent, late(Category::late_sender));
  if (crossing.leg == Leg::data) {
    const Shake& shake = shakes_[trigger_.message];
    spread.until(shake.asked, shakes);
    spread.until(shake.matched, receives ? shakes : late(Category::late_receiver));
    spread.until(shake.answered, shakes);
    spread.until(shake.prepared, receives ? late(Category::late_sender) : shakes);
  }
  spread.until(crossing.handed, shakes);
}

void Recorder::tell_way(Spread& spread, const Transit& transit) const {
  if (transit.leg() == Leg::request || transit.leg() == Leg::answer)
    return spread.until(log_.transits.end(transit), Categories::of(Category::rendezvous));
  Time time = transit.handed;
  log_.transits.for_each_piece(transit, [&](const Piece& piece) {
    time += piece.time();
    spread.until(time, categories_.of(piece));
  });
}

// ---- checks

void Recorder::check() const {
  const std::size_t count = categories_.count();
  std::vector<Time> ranks(count), scopes(count);
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const Time* of = &by_rank_[rank * count];
    const Time finished = log_.lines[rank].finished;
    const Time sum = std::accumulate(of, of + count, Time{0});
    if (!states_[rank].background && sum != finished)
      throw InternalError("explain: the categories of rank " + std::to_string(rank) + " make " +
                          std::to_string(sum) + " ps, and it took " + std::to_string(finished));
    if (std::any_of(of, of + count, [](Time time) { return time < 0; }))
      throw InternalError("explain: a negative time of rank " + std::to_string(rank));
    for (std::size_t c = 0; c < count; ++c) ranks[c] += of[c];
  }
  for (std::size_t scope = 0; scope < log_.scopes.size(); ++scope)
    for (std::size_t c = 0; c < count; ++c) scopes[c] += of_scope(scope)[c];
  if (ranks != scopes) throw InternalError("explain: calls and ranks don't add up to the same");
}

}  // namespace odonata
