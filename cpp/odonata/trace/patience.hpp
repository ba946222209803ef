// How long a question for the time takes: the simulator and the library count alike.
#pragma once

#include <algorithm>

#include "odonata/units/units.hpp"

namespace odonata::trace {

/// Where nothing happens between questions, a loop that waits for the time would never end: so a
/// long row of questions that had the same answer takes time.
class Patience {
 public:
  /// The time that a question asked at `now` takes [ps].
  [[nodiscard]] Time ask(Time now) {
    if (now != told_) {
      questions_ = 0;
      since_ = now;
    }
    questions_ = std::min(questions_ + 1, most + 1);
    return questions_ > most ? std::max(least, (now - since_) / share) : 0;
  }
  /// What it was answered [ps].
  void tell(Time now) { told_ = now; }

 private:
  static constexpr int most = 32;          // questions that may have the same answer
  static constexpr Time least = 1'000'000;  // [ps] of each one after that
  static constexpr Time share = 64;  // of what they have taken: they get longer as a loop goes on

  int questions_ = 0;
  Time since_ = 0;  // [ps] when the first of the row was asked
  Time told_ = -1;  // [ps] the last answer
};

}  // namespace odonata::trace
