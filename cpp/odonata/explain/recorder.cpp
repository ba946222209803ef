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
  Spread(Recorder& recorder, std::int32_t rank)
      : recorder_(recorder), rank_(rank), gap_(recorder.states_[rank].gap), begin_(gap_.begin) {}

  void until(Time time, std::size_t category) {
    while (!over_) {
      const Time end = std::min(time, gap_.end);
      if (end > begin_) {
        recorder_.add_time(rank_, category, end - begin_);
        begin_ = end;
      }
      if (begin_ < gap_.end) return;
      next();
    }
  }

 private:
  void next() {
    over_ = ++number_ == recorder_.states_[rank_].num_gaps;
    if (over_) return;
    gap_ = recorder_.more_gaps_[rank_][number_ - 1];
    begin_ = gap_.begin;
  }

  Recorder& recorder_;
  std::int32_t rank_;
  Gap gap_;
  Time begin_;  // [ps] of what has no category yet
  std::uint32_t number_ = 0;  // of the gap
  bool over_ = false;
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

void Recorder::part(Work what, Time time) {
  if (time <= 0) return;
  if (num_parts_ == parts_.size()) throw InternalError("explain: too many parts of a cost");
  parts_[num_parts_++] = {what, time};
}

void Recorder::work(std::int32_t rank, Work what, Time begin, Time cost) {
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
  append(rank, {LineEntry::cause, cause});
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
  note.crossing = {launch, clock_.now, parent, Transit::none, {}};
  if (launch.node >= 0) note.crossing.first = first_at_nic(note.crossing);
  if (launch.leg != Leg::answer && launch.leg != Leg::data) note.sent = clock_.now;
}

// The message with which the NIC became busy that this one comes to.
Recorder::Hand Recorder::first_at_nic(const Crossing& crossing) {
  const auto node = static_cast<std::size_t>(crossing.launch.node);
  if (firsts_.size() <= node) firsts_.resize(static_cast<std::size_t>(machine_.num_nodes()));
  if (!network_->idle(crossing.launch.node)) return firsts_[node];
  const std::int32_t launcher = crossing.launch.launcher;
  firsts_[node] = {crossing.handed, states_[launcher].background ? -1 : launcher, crossing.parent};
  return {};
}

void Recorder::happen_injected(std::uint32_t message) {
  trigger_ = {Trigger::Kind::injected, message, notes_[message].crossing};
  if (waits(trigger_.crossing.launch.from)) transit();
}

void Recorder::happen_delivered(std::uint32_t message) {
  Note& note = notes_[message];
  note.crossing.transit = Transit::none;
  trigger_ = {Trigger::Kind::delivered, message, note.crossing};
  const Launch& launch = trigger_.crossing.launch;
  if (launch.leg == Leg::datagram) return keep_datagram();
  const bool answers = launch.leg == Leg::answer;
  if (answers) note.answered = clock_.now;
  if (launch.leg == Leg::request) note.asked = clock_.now;
  if (waits(answers ? launch.from : launch.to)) transit();
}

// Only the last of the messages that nobody receives can end the run.
void Recorder::keep_datagram() {
  if (states_[trigger_.crossing.launch.from].background) return;
  if (last_datagram_ != Transit::none && last_datagram_ + 1 == log_.transits.size()) {
    log_.pieces.shrink(log_.transits.back().first);
    if (log_.transits.back().turn != Transit::none) log_.turns.pop_back();
    log_.transits.pop_back();
  }
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
  const Crossing& crossing = trigger_.crossing;
  const Launch& launch = crossing.launch;
  Transit kept;
  kept.handed = crossing.handed;
  kept.end = clock_.now;
  kept.launcher = launch.launcher;
  kept.from = launch.from;
  kept.to = launch.to;
  kept.parent = crossing.parent;
  kept.leg = launch.leg;
  kept.bytes = launch.bytes;
  const std::size_t first = log_.pieces.size();
  kept.first = first & Transit::most_pieces;
  way_.clear();
  if (launch.node < 0) {
    const Time bytes = machine_.node_bandwidth.time_of(launch.bytes);
    add_piece(way_, WayPart::node_latency, 0, clock_.now - crossing.handed - bytes);
    add_piece(way_, WayPart::node_bytes, 0, bytes);
  } else {
    const bool leaves = trigger_.kind == Trigger::Kind::injected;
    network_->tell_way(launch.message, leaves ? Reached::network : Reached::node, way_);
  }
  for (const Piece& piece : way_) log_.pieces.push_back(piece);
  kept.pieces = (log_.pieces.size() - first) & Transit::most_of_one;
  kept.turn = keep_turn(crossing);
  log_.transits.push_back(kept);
  return static_cast<std::uint32_t>(log_.transits.size() - 1);
}

// A wait for credit or for the window depends on more than the messages before.
std::uint32_t Recorder::keep_turn(const Crossing& crossing) {
  const Hand& first = crossing.first;
  if (first.launcher < 0) return Transit::none;
  const std::optional<Time> gaps = network_->gaps_before(crossing.launch.message);
  if (!gaps) return Transit::none;
  const std::int32_t link = machine_.injection(crossing.launch.node);
  log_.turns.push_back({first.handed, *gaps, first.launcher, first.parent, link});
  return static_cast<std::uint32_t>(log_.turns.size() - 1);
}

// ---- waits

// A strand goes on, so the message for which it does takes the gaps since the last one went on.
void Recorder::attribute(std::int32_t rank) {
  State& state = states_[rank];
  Spread spread(*this, rank);
  if (const Crossing& crossing = trigger_.crossing; crossing.transit != Transit::none) {
    tell_lateness(spread, rank == crossing.launch.to, state.collective);
    tell_way(spread, log_.transits[crossing.transit], crossing.launch.leg);
  } else {
    const Gap& gap = state.num_gaps > 1 ? more_gaps_[rank].back() : state.gap;
    const Transit& last = log_.transits[gap.transit];
    spread.until(last.handed, Categories::of(Category::late_sender));
    tell_way(spread, last, last.leg);
  }
  // A message that has come is held until earlier ones of its pair have.
  spread.until(clock_.now, Categories::of(Category::matching));
  state.num_gaps = 0;
  more_gaps_[rank].clear();
}

// Up to the hand-over of the leg that decides.
void Recorder::tell_lateness(Spread& spread, bool receives, bool collective) const {
  const Note& note = notes_[trigger_.message];
  const Crossing& crossing = trigger_.crossing;
  const auto late = [&](Category which) {
    return Categories::of(collective ? Category::late_in_collective : which);
  };
  const std::size_t shakes = Categories::of(Category::rendezvous);
  spread.until(note.sent, late(Category::late_sender));
  if (crossing.launch.leg == Leg::data) {
    spread.until(note.asked, shakes);
    spread.until(note.matched, receives ? shakes : late(Category::late_receiver));
    spread.until(note.answered, shakes);
    spread.until(note.prepared, receives ? late(Category::late_sender) : shakes);
  }
  spread.until(crossing.handed, shakes);
}

void Recorder::tell_way(Spread& spread, const Transit& transit, Leg leg) const {
  const bool shakes = leg == Leg::request || leg == Leg::answer;
  Time time = transit.handed;
  for (std::uint64_t i = transit.first; i < transit.first + transit.pieces; ++i) {
    const Piece& piece = log_.pieces[i];
    time += piece.time();
    spread.until(time, shakes ? Categories::of(Category::rendezvous) : categories_.of(piece));
  }
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
