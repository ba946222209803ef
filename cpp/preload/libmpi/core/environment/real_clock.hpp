#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

namespace odonata::libmpi {

inline constexpr std::int64_t nanoseconds_a_second = 1'000'000'000;

/// The real clock [ns], even where another library replaces the C library's function; -1 if it does
/// not exist.
inline std::int64_t real_time(clockid_t clock) {
  timespec time{};
  if (syscall(SYS_clock_gettime, clock, &time) != 0) return -1;
  return std::int64_t{time.tv_sec} * nanoseconds_a_second + time.tv_nsec;
}

}  // namespace odonata::libmpi
