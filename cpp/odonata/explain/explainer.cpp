#include "odonata/explain/explainer.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

void Explainer::add(std::int32_t job, std::size_t ranks, bool background) {
  const std::size_t first = states_.size(), all = first + ranks;
  const std::uint32_t scope = number_of({job, -1, -1, false, {}});
  states_.resize(all);
  log_.timelines.resize(all);
  if (keeps_path_) log_.crossings.resize(all);
  by_rank_.resize(all * categories_.count());
  for (std::size_t rank = first; rank < all; ++rank) {
    states_[rank].background = states_[rank].over = background;
    states_[rank].scope = scope;
    log_.timelines[rank].job = job;
  }
}

void Explainer::close() {
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const State& state = states_[rank];
    log_.timelines[rank].end = state.end;
    log_.timelines[rank].scope = state.scope;
  }
  find_last_datagram();
}

// ---- ranks

void Explainer::lengthen(std::int32_t rank, std::uint8_t kind, Time time) {
  states_[rank].end += time;
  if (!keeps_path_) return;
  std::vector<TimelineEntry>& entries = log_.timelines[rank].entries;
  if (kind < TimelineEntry::idle && !entries.empty() && entries.back().kind() == kind &&
      entries.back().time() <= TimelineEntry::longest - time)
    return entries.back().lengthen(time);
  if (kind == TimelineEntry::idle && time > TimelineEntry::longest)
    throw UserError(Fault{"explain: rank " + std::to_string(rank) + " waits too long for one call",
                          {},
                          "up to 6 days with the critical path; --breakdown takes more"});
  for (; time > TimelineEntry::longest; time -= TimelineEntry::longest)
    append(rank, {kind, static_cast<std::uint64_t>(TimelineEntry::longest)});
  append(rank, {kind, static_cast<std::uint64_t>(time)});
}

void Explainer::work(std::int32_t rank, Work what, Time begin, Time cost) {
  close_gap(rank, begin);
  std::vector<Share>& parts = states_[rank].parts;
  Time rest = cost;
  for (const Share& part : parts) rest -= part.time;
  const auto add_share = [&](const Share& share) {
    if (share.time == 0) return;
    lengthen(rank, static_cast<std::uint8_t>(share.what), share.time);
    add(rank, categories_.of(share.what), share.time);
  };
  add_share({what, rest});
  for (const Share& part : parts) add_share(part);
  parts.clear();
}

// The processor had nothing to do up to now: the event of now ends the gap.
void Explainer::close_gap(std::int32_t rank, Time now) {
  leave_now(rank);
  const Time begin = states_[rank].end;
  if (begin == now) return;
  const CrossingId cause = crossing();
  if (!cause) {
    lengthen(rank, TimelineEntry::pause, now - begin);
    return add(rank, Categories::of(Category::pausing), now - begin);
  }
  hold(cause);
  states_[rank].gaps.push_back({begin, now, cause});
  append(rank, {TimelineEntry::cause, cause.value()});
  lengthen(rank, TimelineEntry::idle, now - begin);
}

void Explainer::finish(std::int32_t rank, Time now) {
  log_.timelines[rank].finished = now;
  leave_now(rank);
  states_[rank].over = true;
}

void Explainer::enter(std::int32_t rank, std::string_view function, bool collective,
                      int communicator) {
  states_[rank].has_left = false;
  if (!keys_[states_[rank].scope].is_call(function, collective, communicator))
    change_call(rank, function, collective, communicator);
}

void Explainer::change_call(std::int32_t rank, std::string_view function, bool collective,
                            int communicator) {
  const ScopeKey& now = keys_[states_[rank].scope];
  set_scope(rank, {now.job, now.phase, communicator, collective, function});
}

void Explainer::change_to_outside(std::int32_t rank) {
  states_[rank].has_left = false;
  change_call(rank, {}, false, -1);
}

void Explainer::begin_phase(std::int32_t rank, std::int32_t phase) {
  leave_now(rank);
  const Scope& now = log_.scopes[states_[rank].scope];
  set_scope(rank, {now.job, phase, now.communicator, now.collective, now.function});
}

void Explainer::set_scope(std::int32_t rank, const ScopeKey& key) {
  const std::uint32_t scope = number_of(key);
  State& state = states_[rank];
  if (scope == state.scope) return;
  state.collective = key.collective;
  append(rank, {TimelineEntry::scope, std::exchange(state.scope, scope)});
}

// Ranks go from one scope to another again and again, so the latest ones are looked for first.
std::uint32_t Explainer::number_of(const ScopeKey& key) {
  auto& [latest, before] = known_[key.place() % known_.size()];
  if (latest.key.is(key)) return latest.number;
  if (!before.key.is(key)) {
    const auto found = scope_numbers_.find(key);
    before = {key, found != scope_numbers_.end() ? found->second : add_scope(key)};
  }
  std::swap(latest, before);
  return latest.number;
}

// The function's name is the caller's, so the key is made of the scope that is kept.
std::uint32_t Explainer::add_scope(const ScopeKey& key) {
  const auto number = static_cast<std::uint32_t>(log_.scopes.size());
  const Scope& kept = log_.scopes.emplace_back(
      Scope{key.job, key.phase, key.communicator, key.collective, std::string(key.function)});
  by_scope_.resize(by_scope_.size() + categories_.count());
  ScopeKey own = key;
  own.function = kept.function;
  scope_numbers_.emplace(own, number);
  keys_.push_back(key);
  return number;
}

// ---- messages

// A message that is handed over where no processor works is the effect of the event that happens.
void Explainer::keep_origin(std::int32_t launcher, const LegOfMessage& leg) {
  if (origins_.size() <= leg.carried)
    origins_.resize(std::max<std::size_t>(leg.carried + 1, 2 * origins_.size()));
  Origin& origin = origins_[leg.carried];
  origin = {};
  if (states_[launcher].end < clock_.now) origin.parent = crossing();
  if (leg.port >= 0) origin.first = first_at_nic(leg.port, launcher, origin);
}

// The message with which the NIC became busy that this one comes to.
Explainer::Handover Explainer::first_at_nic(std::int32_t port, std::int32_t launcher,
                                            const Origin& origin) {
  const auto number = static_cast<std::size_t>(port);
  if (firsts_.size() <= number) firsts_.resize(static_cast<std::size_t>(machine_.num_ports()));
  if (!network_->idle(port)) return firsts_[number];
  firsts_[number] = {clock_.now, states_[launcher].background ? -1 : launcher, origin.parent};
  return {};
}

void Explainer::happen_step(std::int32_t rank, const LegOfMessage& leg) {
  if (!has_gaps(rank)) return happen();
  begin_event(Trigger::Kind::step, leg);
  if (leg.message >= crossings_.size()) return;
  trigger_.leg.crossing = crossings_[leg.message];
  hold(trigger_.leg.crossing);
}

void Explainer::happen_delivered(const LegOfMessage& leg) {
  if (leg.message < crossings_.size()) release(std::exchange(crossings_[leg.message], {}));
  if (leg.leg == Leg::request) handshakes_[leg.message].asked = clock_.now;
  if (leg.leg == Leg::answer) handshakes_[leg.message].answered = clock_.now;
  begin_event(Trigger::Kind::delivered, leg);
  if (leg.leg == Leg::datagram && keeps_path_) keep_datagram();
  settle();
}

void Explainer::settle() {
  const LegState& leg_state = trigger_.leg;
  if (trigger_.kind != Trigger::Kind::delivered || leg_state.leg == Leg::datagram) return;
  if (waits(leg_state.leg == Leg::answer ? leg_state.from : leg_state.to)) crossing();
}

Explainer::Handshake& Explainer::handshake_of(std::uint32_t message) {
  if (handshakes_.size() <= message)
    handshakes_.resize(std::max<std::size_t>(message + 1, 2 * handshakes_.size()));
  return handshakes_[message];
}

// Only the last of all messages without a receive can end the run; each rank keeps the last to it.
void Explainer::keep_datagram() {
  if (states_[trigger_.leg.from].background) return;
  CrossingId& last = states_[trigger_.leg.to].last_datagram;
  drop(last);
  last = keep();
}

void Explainer::find_last_datagram() {
  Time end = -1;  // [ps] of the last one so far
  for (const State& state : states_) {
    if (!state.last_datagram) continue;
    const Time its_end = log_.end(state.last_datagram);
    drop(its_end < end ? state.last_datagram : last_datagram_);
    if (its_end < end) continue;
    end = its_end;
    last_datagram_ = state.last_datagram;
  }
}

// Takes a crossing out of the log, if its rank has kept none since.
void Explainer::drop(CrossingId crossing) {
  if (!crossing) return;
  Crossings& all = log_.crossings[crossing.rank];
  if (crossing.number + 1 == all.size()) all.take_back();
}

CrossingId Explainer::crossing() {
  LegState& leg_state = trigger_.leg;
  const bool ends =
      trigger_.kind == Trigger::Kind::injected || trigger_.kind == Trigger::Kind::delivered;
  if (ends && !leg_state.crossing) {
    leg_state.crossing = keep();
    if (crossings_.size() <= trigger_.message)
      crossings_.resize(std::max<std::size_t>(trigger_.message + 1, 2 * crossings_.size()));
    release(std::exchange(crossings_[trigger_.message], leg_state.crossing));
    hold(leg_state.crossing);
  }
  return leg_state.crossing;
}

CrossingId Explainer::keep() {
  const LegState& leg_state = trigger_.leg;
  const std::int32_t rank = rank_of_end();
  Way inside;
  const std::span<const Piece> way = way_of(leg_state, inside);
  if (!keeps_path_) return held_.add(rank, leg_state.handed, leg_state.leg, way);
  const Origin& origin = origins_[trigger_.leg.carried];
  Crossing kept;
  kept.handed = leg_state.handed;
  kept.from = leg_state.from;
  kept.to = leg_state.to;
  kept.kind = static_cast<std::uint64_t>(leg_state.leg) & 0x3f;
  kept.bytes = static_cast<std::uint64_t>(leg_state.bytes) & Crossing::most_bytes;
  const std::optional<BusyPeriod> busy_period = busy_period_of(leg_state, origin.first);
  return {rank, log_.crossings[rank].add(kept, way, origin.parent, busy_period)};
}

// The way of a message of the network, which the network keeps, or `inside` the node.
std::span<const Piece> Explainer::way_of(const LegState& leg_state, Way& inside) {
  if (leg_state.port >= 0) return ways_->tell(leg_state.carried, reached());
  const Time latency = machine_.node_latency;
  add_piece(inside, WayPart::node_latency, 0, latency);
  add_piece(inside, WayPart::node_bytes, 0, clock_.now - leg_state.handed - latency);
  return inside;
}

// A wait for credit or for the window depends on more than the messages before.
std::optional<BusyPeriod> Explainer::busy_period_of(const LegState& leg_state,
                                                    const Handover& first) const {
  if (first.launcher < 0) return {};
  const std::optional<Time> gaps = ways_->gaps_before(leg_state.carried);
  if (!gaps) return {};
  return BusyPeriod{first.handed, *gaps, first.launcher, first.parent,
                    machine_.injection(leg_state.port)};
}

// ---- checks

void Explainer::check() const {
  const std::size_t count = categories_.count();
  std::vector<TimeSum> ranks(count), scopes(count);
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const Time* of = of_rank(static_cast<std::int32_t>(rank));
    const Time finished = log_.timelines[rank].finished;
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
