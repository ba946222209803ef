#include "odonata/explain/recorder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

void Recorder::add(std::int32_t job, bool background) {
  const auto rank = static_cast<std::int32_t>(states_.size());
  states_.push_back({{}, -1, background, background});
  log_.lines.push_back({});
  log_.lines.back().job = job;
  by_rank_.resize(by_rank_.size() + categories_.count());
  Scope scope;
  scope.job = job;
  set_scope(rank, scope);
}

// ---- ranks

void Recorder::append(std::int32_t rank, std::uint8_t kind, Time time) {
  Line& line = log_.lines[rank];
  line.end += time;
  const bool same =
      kind < LineEntry::idle && !line.entries.empty() && line.entries.back().kind() == kind;
  if (same)
    line.entries.back().lengthen(time);
  else
    line.entries.emplace_back(kind, static_cast<std::uint64_t>(time));
}

void Recorder::add_time(std::int32_t rank, std::size_t category, Time time) {
  if (states_[rank].over) return;
  by_rank_[static_cast<std::size_t>(rank) * categories_.count() + category] += time;
  by_scope_[log_.lines[rank].scope * categories_.count() + category] += time;
}

void Recorder::work(std::int32_t rank, Work what, Time begin, Time cost) {
  close_gap(rank, begin);
  const Time told = std::accumulate(parts_.begin(), parts_.end(), Time{0},
                                    [](Time sum, const Share& part) { return sum + part.time; });
  parts_.insert(parts_.begin(), {what, cost - told});
  for (const Share& part : parts_) {
    if (part.time == 0) continue;
    append(rank, static_cast<std::uint8_t>(part.what), part.time);
    add_time(rank, categories_.of(part.what), part.time);
  }
  parts_.clear();
}

// The processor had nothing to do up to now: what happens now ends the gap.
void Recorder::close_gap(std::int32_t rank, Time now) {
  const Line& line = log_.lines[rank];
  const Time gap = now - line.end;
  if (gap == 0) return;
  const std::uint32_t cause = transit();
  if (cause == Transit::none) {
    append(rank, LineEntry::pause, gap);
    return add_time(rank, Categories::of(Category::pausing), gap);
  }
  states_[rank].gaps.push_back({line.end, now, cause});
  log_.lines[rank].entries.emplace_back(LineEntry::cause, cause);
  append(rank, LineEntry::idle, gap);
}

void Recorder::resume(std::int32_t rank) {
  if (log_.lines[rank].end < clock_.now) close_gap(rank, clock_.now);
  if (!states_[rank].gaps.empty()) attribute(rank);
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
  Scope scope = log_.scopes[log_.lines[rank].scope];
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
  Line& line = log_.lines[rank];
  const std::uint32_t before = std::exchange(line.scope, found->second);
  if (before != line.scope) line.entries.emplace_back(LineEntry::scope, before);
}

// ---- messages

// A message that is handed over where no processor works is the effect of the event that happens.
void Recorder::launch(const Launch& launch) {
  const bool by_processor = log_.lines[launch.launcher].end >= clock_.now;
  const std::uint32_t parent = by_processor ? Transit::none : transit();
  if (notes_.size() <= launch.message)
    notes_.resize(std::max<std::size_t>(launch.message + 1, 2 * notes_.size()));
  Note& note = notes_[launch.message];
  note.crossing = {launch, clock_.now, parent, Transit::none};
  if (launch.leg != Leg::answer && launch.leg != Leg::data) note.sent = clock_.now;
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
    log_.pieces.resize(log_.transits.back().first);
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
  kept.first = log_.pieces.size();
  if (launch.local) {
    const Time bytes = machine_.node_bandwidth.time_of(launch.bytes);
    add_piece(log_.pieces, WayPart::node_latency, 0, clock_.now - crossing.handed - bytes);
    add_piece(log_.pieces, WayPart::node_bytes, 0, bytes);
  } else {
    const bool leaves = trigger_.kind == Trigger::Kind::injected;
    network_->tell_way(launch.message, leaves ? Reached::network : Reached::node, log_.pieces);
  }
  kept.pieces = static_cast<std::uint32_t>(log_.pieces.size() - kept.first);
  log_.transits.push_back(kept);
  return static_cast<std::uint32_t>(log_.transits.size() - 1);
}

// ---- waits

// A strand goes on, so the message for which it does takes the gaps since the last one went on.
void Recorder::attribute(std::int32_t rank) {
  std::vector<Gap>& gaps = states_[rank].gaps;
  untils_.clear();
  if (trigger_.crossing.transit != Transit::none) {
    tell_lateness(rank);
    tell_way(log_.transits[trigger_.crossing.transit], trigger_.crossing.launch.leg);
  } else {
    const Transit& last = log_.transits[gaps.back().transit];
    untils_.push_back({last.handed, Categories::of(Category::late_sender)});
    tell_way(last, last.leg);
  }
  for (const Gap& gap : gaps) spread(rank, gap);
  gaps.clear();
}

// Up to the hand-over of the leg that decides.
void Recorder::tell_lateness(std::int32_t rank) {
  const Note& note = notes_[trigger_.message];
  const Crossing& crossing = trigger_.crossing;
  const bool collective = log_.scopes[log_.lines[rank].scope].collective;
  const auto late = [&](Category which) {
    return Categories::of(collective ? Category::late_in_collective : which);
  };
  const std::size_t shakes = Categories::of(Category::rendezvous);
  const bool receives = rank == crossing.launch.to;
  untils_.push_back({note.sent, late(Category::late_sender)});
  if (crossing.launch.leg != Leg::data) return untils_.push_back({crossing.handed, shakes});
  untils_.push_back({note.asked, shakes});
  untils_.push_back({note.matched, receives ? shakes : late(Category::late_receiver)});
  untils_.push_back({note.answered, shakes});
  untils_.push_back({note.prepared, receives ? late(Category::late_sender) : shakes});
  untils_.push_back({crossing.handed, shakes});
}

void Recorder::tell_way(const Transit& transit, Leg leg) {
  const bool shakes = leg == Leg::request || leg == Leg::answer;
  Time time = transit.handed;
  for (std::uint64_t i = transit.first; i < transit.first + transit.pieces; ++i) {
    const Piece& piece = log_.pieces[i];
    time += piece.time();
    untils_.push_back(
        {time, shakes ? Categories::of(Category::rendezvous) : categories_.of(piece)});
  }
}

void Recorder::spread(std::int32_t rank, const Gap& gap) {
  Time begin = gap.begin;
  for (const Until& until : untils_) {
    const Time end = std::min(until.time, gap.end);
    if (end <= begin) continue;
    add_time(rank, until.category, end - begin);
    begin = end;
  }
  // A message that has come is held until earlier ones of its pair have.
  if (begin < gap.end) add_time(rank, Categories::of(Category::matching), gap.end - begin);
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
