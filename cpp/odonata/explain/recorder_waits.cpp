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

template <class Gaps>
inline void Recorder::tell(Gaps& gaps, Time sent, const WayTimes* way) const {
  gaps.until(sent, Usual::late);
  if (way == nullptr) return gaps.until(clock_.now, Categories::of(Category::inside_node));
  tell_times(gaps, *way);
  gaps.until(clock_.now, Usual::ejection);
}

template <class Way>
[[gnu::noinline]] void Recorder::take_long_wait(std::int32_t rank, const Gap& gap, Time sent,
                                                const Way& way) {
  leave_now(rank);
  add_gap(rank, gap);
  Spread spread(*this, static_cast<std::size_t>(rank));
  tell(spread, sent, way);
  states_[rank].num_gaps = 0;
}

template void Recorder::take_long_wait(std::int32_t rank, const Gap& gap, Time sent,
                                       const Undelayed& way);

void Recorder::take_wait(std::int32_t rank, Time sent, const WayTimes* way) {
  take_any_wait(rank, sent, way);
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
  gaps.until(way.serialization, Usual::serialization);
  if (way.slower != 0) {
    gaps.until(way.ahead, Usual::wire);
    gaps.until(way.slower, Usual::transmission);
  }
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
