// The wait that one message alone ends: part of recorder.hpp, for who tells of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "odonata/explain/recorder.hpp"

namespace odonata {

// Gives a wait that has just ended, the only gap of its rank, to categories: each gets what lies
// before its time. It is not foreseeable which get nothing, so there are no branches.
class Recorder::Wait {
 public:
  Wait(Recorder& recorder, State& state, Time begin)
      : recorder_(recorder), state_(state), begin_(begin) {}

  [[nodiscard]] Time begin() const { return begin_; }
  [[nodiscard]] bool before(Time time) const { return begin_ < time; }

  void until(Time time, Usual usual) { state_.add(usual, go_on(time)); }
  void until(Time time, std::size_t category) { recorder_.add(state_, category, go_on(time)); }

 private:
  Time go_on(Time time) {
    const Time end = std::max(time, begin_);
    return end - std::exchange(begin_, end);
  }

  Recorder& recorder_;
  State& state_;
  Time begin_;  // [ps] of what has no category yet
};

// Up to the first delay behind a slower link.
template <class Gaps>
inline void Recorder::tell_start(Gaps& gaps, const WayTimes& way) {
  gaps.until(way.serialization, Usual::serialization);
  if (way.slower == 0) return;
  gaps.until(way.ahead, Usual::wire);
  gaps.until(way.slower, Usual::transmission);
}

[[gnu::always_inline]] inline void Recorder::take_wait(std::int32_t rank, Time sent,
                                                       const WayTimes* way) {
  trigger_.kind = Trigger::Kind::none;
  State& state = states_[rank];
  const Time begin = std::exchange(state.end, clock_.now);
  if (state.end > state.due) [[unlikely]]
    return take_long_wait(rank, {begin, clock_.now, Transit::none}, sent, way);
  Wait wait(*this, state, begin);
  wait.until(sent, Usual::late);
  if (way == nullptr) return wait.until(clock_.now, Categories::of(Category::inside_node));
  if (way->queue > sent || way->held_up()) return take_wait_held_up(state, wait.begin(), *way);
  tell_start(wait, *way);
  wait.until(way->wires, Usual::wire);
  wait.until(clock_.now, Usual::ejection);
}

}  // namespace odonata
