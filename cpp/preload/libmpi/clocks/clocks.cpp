// Clocks of the C library as the ranks of a program see them. The dynamic linker finds this library
// before the C library. A process that is no rank, and a rank outside of MPI, read the real clocks.
#include "preload/libmpi/clocks/clocks.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "preload/libmpi/clocks/real.hpp"

using odonata::clocks::answering;
using odonata::clocks::between;
using odonata::clocks::let_pass;
using odonata::clocks::read_clock;
using odonata::clocks::real;
using odonata::clocks::second;

namespace {

// The C library's functions have nothing else to find their state by.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<const odonata_clocks*> answers{nullptr};
std::atomic<int> was_read{0};

int real_clock(clockid_t clock, timespec* time) {
  static auto* const function = real<decltype(clock_gettime)>("clock_gettime");
  if (function != nullptr) return function(clock, time);
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}

bool simulated(clockid_t clock, timespec* time) {
  was_read.store(1, std::memory_order_relaxed);
  const odonata_clocks* those = answering();
  return those != nullptr && those->read(clock, time) != 0;
}

// Another library's function may have this name where this library was loaded late.
int sleep_for(const timespec* time, timespec* rest) {
  static auto* const function = real<decltype(nanosleep)>("nanosleep");
  if (time == nullptr || !let_pass(*time)) return function(time, rest);
  if (rest != nullptr) *rest = {};
  return 0;
}

timeval rounded(const timespec& time) { return {time.tv_sec, time.tv_nsec / 1000}; }

}  // namespace

namespace odonata::clocks {

const odonata_clocks* answering() { return answers.load(std::memory_order_acquire); }

int read_clock(clockid_t clock, timespec* time) {
  return simulated(clock, time) ? 0 : real_clock(clock, time);
}

bool let_pass(const timespec& time) {
  const odonata_clocks* those = answering();
  if (those == nullptr || time.tv_sec < 0 || time.tv_nsec < 0 || time.tv_nsec >= second)
    return false;
  return those->pass(time.tv_sec * second + time.tv_nsec) != 0;
}

timespec between(const timespec& start, const timespec& end) {
  timespec rest{end.tv_sec - start.tv_sec, end.tv_nsec - start.tv_nsec};
  if (rest.tv_nsec < 0) rest = {rest.tv_sec - 1, rest.tv_nsec + second};
  return rest.tv_sec < 0 ? timespec{} : rest;
}

}  // namespace odonata::clocks

extern "C" {

void odonata_clocks_use(const odonata_clocks* clocks) { answers.store(clocks); }
int odonata_clocks_read() { return was_read.load(); }

const char* const odonata_clocks_functions[] = {"clock_gettime",
                                                "gettimeofday",
                                                "time",
                                                "timespec_get",
                                                "clock",
                                                "times",
                                                "getrusage",
                                                "nanosleep",
                                                "clock_nanosleep",
                                                "usleep",
                                                "sleep",
                                                "select",
                                                "pselect",
                                                "poll",
                                                "ppoll",
                                                "epoll_wait",
                                                "epoll_pwait",
                                                "epoll_pwait2",
                                                "pthread_cond_timedwait",
                                                "pthread_cond_clockwait",
                                                "sem_timedwait",
                                                "sem_clockwait",
                                                "gethostname",
                                                "uname",
                                                nullptr};

int clock_gettime(clockid_t clock, timespec* time) noexcept { return read_clock(clock, time); }

int gettimeofday(timeval* __restrict time, void* __restrict zone) noexcept {
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  timespec now{};
  read_clock(CLOCK_REALTIME, &now);
  *time = rounded(now);
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  read_clock(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC) return 0;
  return read_clock(CLOCK_REALTIME, time) == 0 ? base : 0;
}

clock_t clock() noexcept {
  timespec used{};
  if (read_clock(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return -1;
  return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (second / CLOCKS_PER_SEC);
}

clock_t times(tms* used) noexcept {
  static auto* const function = real<decltype(times)>("times");
  timespec now{}, processor{};
  const long tick = second / sysconf(_SC_CLK_TCK);
  if (function == nullptr || (used != nullptr && function(used) == -1)) return -1;
  if (used != nullptr && simulated(CLOCK_PROCESS_CPUTIME_ID, &processor)) {
    used->tms_utime = (processor.tv_sec * second + processor.tv_nsec) / tick;
    used->tms_stime = 0;
  }
  read_clock(CLOCK_MONOTONIC, &now);
  return (now.tv_sec * second + now.tv_nsec) / tick;
}

int getrusage(__rusage_who_t who, rusage* used) noexcept {
  static auto* const function = real<decltype(getrusage)>("getrusage");
  const int code = function == nullptr ? -1 : function(who, used);
  timespec processor{};
  if (code == 0 && who == RUSAGE_SELF && simulated(CLOCK_PROCESS_CPUTIME_ID, &processor)) {
    used->ru_utime = rounded(processor);
    used->ru_stime = {};
  }
  return code;
}

int nanosleep(const timespec* time, timespec* rest) { return sleep_for(time, rest); }

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* rest) {
  static auto* const function = real<decltype(clock_nanosleep)>("clock_nanosleep");
  timespec now{}, length{};
  if (time == nullptr) return EFAULT;
  if ((flags & TIMER_ABSTIME) == 0)
    length = *time;
  else if (read_clock(clock, &now) == 0)
    length = between(now, *time);
  if (!let_pass(length)) return function(clock, flags, time, rest);
  if (rest != nullptr && (flags & TIMER_ABSTIME) == 0) *rest = {};
  return 0;
}

int usleep(useconds_t microseconds) {
  const timespec time{microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  return sleep_for(&time, nullptr);
}

unsigned sleep(unsigned seconds) {
  const timespec time{static_cast<time_t>(seconds), 0};
  timespec rest{};
  return sleep_for(&time, &rest) == 0 ? 0 : static_cast<unsigned>(rest.tv_sec);
}
}
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
