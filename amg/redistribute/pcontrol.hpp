#pragma once

#include "amg/flops.hpp"

namespace odonata::amg {

// The part of a run: docs/concepts/trace.md has these numbers, to which the level is added.
enum class Phase { setup = 13'664'000, solve = 13'665'000, cycle = 13'666'000 };

// The steps of a level of a cycle, which stand behind its level: steps of the cycle by operation,
// and steps of a switched level.
enum class Step {
  smooth_down,
  residual,
  restriction,
  coarsest,
  interpolation,
  smooth_up,
  gather,
  scatter
};

// News for a simulated machine and its trace, by MPI_Pcontrol: where a run is, and the time of
// its flops. Other MPIs ignore both.
class Pcontrol {
 public:
  Pcontrol() = default;
  Pcontrol(bool phases, FlopClock flops) : phases_(phases), flops_(std::move(flops)) {}

  bool states_flops() const { return flops_.runs(); }
  bool speaks() const { return phases_ || states_flops(); }

  void at(Phase phase, int level) const { mark(int(phase) + level); }
  void between_levels(Phase phase) const { mark(int(phase) + no_level); }
  void at(int level, Step step) const {
    mark(int(Phase::cycle) + steps_of_level * level + int(step));
  }
  void outside() const { mark(neither); }
  void flops(int level, double count) const { flops_.advance(level, count); }

 private:
  static constexpr int steps_of_level = 10;
  static constexpr int no_level = 999, neither = int(Phase::setup) - 1;

  void mark(int number) const {
    if (phases_) MPI_Pcontrol(number);
  }

  bool phases_ = false;
  FlopClock flops_{{}};
};

}  // namespace odonata::amg
