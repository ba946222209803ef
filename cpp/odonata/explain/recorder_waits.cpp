// Waits of ranks, given to categories: part of the recorder.
#include <algorithm>
#include <utility>

#include "odonata/explain/recorder_waits.hpp"

namespace odonata {

// Gives all gaps of a rank to categories, from the first on.
class Recorder::Spread {
 public:
  Spread(Recorder& recorder, std::size_t rank)
      : recorder_(recorder), rank_(rank), several_(state().num_gaps > 1) {
    begin_ = recorder_.gaps_[rank].begin;
    end_ = recorder_.gaps_[rank].end;
  }

  void until(Time time, Usual usual) { until(time, Categories::of(usual, state().collective)); }
  void until(Time time, std::size_t category) {
    if (time <= begin_) return;
    const Time part = std::min(time, end_) - begin_;
    recorder_.add(state(), category, part);
    begin_ += part;
    if (several_ && begin_ == end_) [[unlikely]]
      go_on(time, category);
  }

 private:
  [[nodiscard]] const State& state() const { return recorder_.states_[rank_]; }
  // To the next gap, if this one is given away.
  [[gnu::noinline]] void go_on(Time time, std::size_t category) {
    if (number_ + 1 >= state().num_gaps) return;
    const Gap& gap = recorder_.more_gaps_[rank_][number_++];
    begin_ = gap.begin;
    end_ = gap.end;
    until(time, category);
  }

  Recorder& recorder_;
  std::size_t rank_;
  bool several_;
  Time begin_, end_;  // [ps] of what has no category yet
  std::uint32_t number_ = 0;  // of the gap
};

[[gnu::noinline]] void Recorder::take_long_wait(std::int32_t rank, const Gap& gap, Time sent,
                                                const WayTimes* way) {
  leave_now(rank);
  add_gap(rank, gap);
  Spread spread(*this, static_cast<std::size_t>(rank));
  spread.until(sent, Usual::late);
  if (way == nullptr) {
    spread.until(gap.end, Categories::of(Category::inside_node));
  } else {
    tell_times(spread, *way);
    spread.until(gap.end, Usual::ejection);
  }
  states_[rank].num_gaps = 0;
}

[[gnu::noinline]] void Recorder::take_long_wait(std::int32_t rank, const Gap& gap, Time sent,
                                                const Undelayed& way) {
  WayTimes times;
  times.queue = times.credit = sent;
  times.serialization = way.left;
  if (way.slower != 0) {
    times.ahead = sent + way.ahead;
    times.slower = times.ahead + way.slower;
  }
  times.wires = gap.end - network_->last_link();
  take_long_wait(rank, gap, sent, &times);
}

void Recorder::take_wait(std::int32_t rank, Time sent, const WayTimes* way) {
  trigger_.kind = Trigger::Kind::none;
  State& state = states_[rank];
  const Time begin = std::exchange(state.end, clock_.now);
  if (state.end > state.due) [[unlikely]]
    return take_long_wait(rank, {begin, clock_.now, Transit::none}, sent, way);
  Wait wait(*this, state, begin);
  wait.until(sent, Usual::late);
  if (way == nullptr) return wait.until(clock_.now, Categories::of(Category::inside_node));
  tell_times(wait, *way);
  wait.until(clock_.now, Usual::ejection);
}

// A strand goes on, so the message for which it does takes the gaps since the last one went on.
void Recorder::attribute(std::int32_t rank) {
  State& state = states_[rank];
  Spread spread(*this, static_cast<std::size_t>(rank));
  if (const Crossing& crossing = trigger_.crossing; transit() != Transit::none) {
    tell_lateness(spread, rank == crossing.to, state.collective);
    tell_way(spread, crossing.transit);
  } else {
    const Gap& gap = state.num_gaps > 1 ? more_gaps_[rank].back() : gaps_[rank];
    spread.until(handed(gap.transit), Categories::of(Category::late_sender));
    tell_way(spread, gap.transit);
  }
  // A message that has come is held until earlier ones of its pair have.
  spread.until(clock_.now, Categories::of(Category::matching));
  release_gaps(rank);
  state.num_gaps = 0;
}

// Where there is a path, ranks hold the cause of their last gap alone.
void Recorder::release_gaps(std::int32_t rank) {
  const State& state = states_[rank];
  if (!keeps_path_) release(gaps_[rank].transit);
  if (state.num_gaps == 1) return;
  if (!keeps_path_)
    for (const Gap& gap : more_gaps_[rank]) release(gap.transit);
  more_gaps_[rank].clear();
}

// Up to the hand-over of the leg that decides.
void Recorder::tell_lateness(Spread& spread, bool receives, bool collective) const {
  const Crossing& crossing = trigger_.crossing;
  const auto late = [&](Category which) {
    return Categories::of(collective ? Category::late_in_collective : which);
  };
  const std::size_t shakes = Categories::of(Category::rendezvous);
  spread.until(crossing.sent, late(Category::late_sender));
  if (crossing.leg == Leg::data) {
    const Shake& shake = shakes_[trigger_.message];
    spread.until(shake.asked, shakes);
    spread.until(shake.matched, receives ? shakes : late(Category::late_receiver));
    spread.until(shake.answered, shakes);
    spread.until(shake.prepared, receives ? late(Category::late_sender) : shakes);
  }
  spread.until(crossing.handed, shakes);
}

// Up to the first delay behind a slower link.
template <class Gaps>
inline void Recorder::tell_start(Gaps& gaps, const WayTimes& way) {
  gaps.until(way.serialization, Usual::serialization);
  if (way.slower == 0) return;
  gaps.until(way.ahead, Usual::wire);
  gaps.until(way.slower, Usual::transmission);
}

// Up to the wire of the last link.
template <class Gaps>
inline void Recorder::tell_times(Gaps& gaps, const WayTimes& way) const {
  tell_queue(gaps, way);
  tell_crossing(gaps, way);
}

// At the NIC, before the first byte leaves.
template <class Gaps>
void Recorder::tell_queue(Gaps& gaps, const WayTimes& way) const {
  gaps.until(way.queue, Categories::of(Category::injection_queue));
  if (way.credit != way.queue)
    gaps.until(way.credit, categories_.of_placed({WayPart::credit, way.nic, 0}));
}

template <class Gaps>
inline void Recorder::tell_crossing(Gaps& gaps, const WayTimes& way) const {
  tell_start(gaps, way);
  for (const Delay& delay : way.delays) {
    gaps.until(delay.begin, Usual::wire);
    const Time end = delay.begin + delay.piece.time();
    const std::size_t category = categories_.of_placed(delay.piece);
    if (category == Categories::of(Category::transmission))
      gaps.until(end, Usual::transmission);
    else
      gaps.until(end, category);
  }
  gaps.until(way.wires, Usual::wire);
}

void Recorder::tell_way(Spread& spread, std::uint32_t transit) const {
  if (!keeps_path_) {
    const HeldTransits::Crossing& held = held_[transit];
    const bool shake = is_shake(held.leg);
    if (!shake && !held.inside) tell_times(spread, held_.way(transit));
    return spread.until(held.end, Categories::of(shake         ? Category::rendezvous
                                                 : held.inside ? Category::inside_node
                                                               : Category::ejection));
  }
  const Transit& kept = log_.transits[transit];
  if (is_shake(kept.leg()))
    return spread.until(log_.transits.end(kept), Categories::of(Category::rendezvous));
  Time time = kept.handed;
  log_.transits.for_each_piece(kept, [&](const Piece& piece) {
    time += piece.time();
    spread.until(time, categories_.of(piece));
  });
}

}  // namespace odonata
