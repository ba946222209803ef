// Duration of a question for the time, which the simulator and the library count alike.
#pragma once

#include <algorithm>
#include <cstdint>

#include "odonata/units/units.hpp"

namespace odonata::trace {

/// Who asks for the time: the program by MPI_Wtime, or it and its libraries by a clock of the C
/// library. An interpreter reads clocks by the thousand, and waits for none of them.
enum class Asker : std::uint32_t { wtime, c_library };

/// A loop that waits for the time would never end if nothing happened between questions: so a
/// long row of questions that had the same answer takes time.
class Patience {
 public:
  /// The time that a question asked at `now` takes [ps].
  [[nodiscard]] Time ask(Time now, Asker asker) {
    const Limits& limits = asker == Asker::wtime ? of_wtime : of_c_library;
    if (now != told_) {
      questions_ = 0;
      since_ = now;
    }
    questions_ = std::min(questions_ + 1, of_c_library.free + 1);
    if (questions_ <= limits.free) return 0;
    return std::clamp((now - since_) / limits.share, limits.least, limits.most);
  }
  /// The answer [ps].
  void tell(Time now) { told_ = now; }

 private:
  struct Limits {
    int free;    // questions that may have the same answer
    Time share;  // of what they have taken, each one after that takes: they get longer in a loop
    Time least, most;  // [ps] bounds of that
  };
  static constexpr Limits of_wtime{32, 64, 1'000'000, Time{1} << 60};
  static constexpr Limits of_c_library{10'000, 1'024, 1'000'000, 100'000'000};

  int questions_ = 0;
  Time since_ = 0;  // [ps] when the first of the row was asked
  Time told_ = -1;  // [ps] the last answer
};

}  // namespace odonata::trace
