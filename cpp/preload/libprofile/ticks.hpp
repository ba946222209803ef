// A clock that takes some nanoseconds to read.
#pragma once

#include <ctime>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace odonata::libprofile {

/// Time since an arbitrary moment [ns].
[[nodiscard]] inline std::uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The counter of the processor where the kernel trusts it, else nanoseconds.
[[nodiscard]] bool counter_is_clock();

/// The same in each thread of a process; `counter` is the result of `counter_is_clock`.
[[nodiscard]] inline std::uint64_t ticks([[maybe_unused]] bool counter) {
#if defined(__x86_64__)
  if (counter) return __rdtsc();
#endif
  return nanoseconds();
}

/// Finds out how long a tick is, the better the later it is asked.
class TickLength {
 public:
  void start(bool counter) {
    counter_ = counter;
    ticks_ = ticks(counter);
    nanoseconds_ = nanoseconds();
  }
  /// [s]
  [[nodiscard]] double seconds() const {
    if (!counter_) return 1e-9;
    const auto passed = static_cast<double>(ticks(true) - ticks_);
    return static_cast<double>(nanoseconds() - nanoseconds_) * 1e-9 / passed;
  }

 private:
  bool counter_ = false;
  std::uint64_t ticks_ = 0, nanoseconds_ = 0;
};

}  // namespace odonata::libprofile
