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

template <class Gaps>
inline void Recorder::tell(Gaps& gaps, Time sent, const Undelayed& way) const {
  gaps.until(sent, Usual::late);
  gaps.until(way.left, Usual::serialization);
  if (way.slower != 0) {
    gaps.until(sent + way.ahead, Usual::wire);
    gaps.until(sent + way.ahead + way.slower, Usual::transmission);
  }
  gaps.until(clock_.now - network_->last_link(), Usual::wire);
  gaps.until(clock_.now, Usual::ejection);
}

template <class Way>
[[gnu::always_inline]] inline void Recorder::take_any_wait(std::int32_t rank, Time sent,
                                                           const Way& way) {
  trigger_.kind = Trigger::Kind::none;
  State& state = states_[rank];
  const Time begin = std::exchange(state.end, clock_.now);
  if (state.end > state.due) [[unlikely]]
    return take_long_wait(rank, {begin, clock_.now, Transit::none}, sent, way);
  Wait wait(*this, state, begin);
  tell(wait, sent, way);
}

// Most messages that a rank waits for are not held up.
[[gnu::always_inline]] inline void Recorder::take_wait(std::int32_t rank, Time sent,
                                                       const Undelayed& way) {
  take_any_wait(rank, sent, way);
}

}  // namespace odonata
