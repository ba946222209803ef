// Waits with a limit. The event that a wait looks for comes in real time, from another thread, a
// child or a file, so the wait first looks for it for a short real time. If nothing comes,
// simulated time passes to the limit, and the wait is over.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "preload/libmpi/clocks/real.hpp"

using odonata::clocks::answering;
using odonata::clocks::between;
using odonata::clocks::let_pass;
using odonata::clocks::read_clock;
using odonata::clocks::real;
using odonata::clocks::second;

namespace {

constexpr std::int64_t real_wait = 2'000'000;    // [ns] for events from elsewhere
// Looks in a row that find all other threads at rest: one of them may just then wait for the mutex
// that comes with a condition variable.
constexpr int enough_rests = 2;

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * second + time.tv_nsec; }

timespec time_of(std::int64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

timespec real_now(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return now;
}

/// May this thread let simulated time pass, now?
bool has_time() {
  const odonata_clocks* those = answering();
  return those != nullptr && those->pass(0) != 0;
}

/// A child may end the wait at any real time: its time is not simulated.
bool has_children() {
  siginfo_t which{};
  return waitid(P_ALL, 0, &which, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool runs(long thread) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%ld/stat", thread);
  std::array<char, 512> text{};
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = read(file, text.data(), text.size() - 1);
  close(file);
  const char* const end = size > 0 ? std::strrchr(text.data(), ')') : nullptr;  // of its name
  return end != nullptr && (end[2] == 'R' || end[2] == 'D');
}

/// Does another thread of this process run, or wait for a processor or a disk?
bool others_run() {
  if (__libc_single_threaded != 0) return false;
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr) return false;
  const long self = syscall(SYS_gettid);
  bool found = false;
  while (const dirent* entry = readdir(folder)) {
    const long thread = std::atol(entry->d_name);
    if (thread > 0 && thread != self) found = found || runs(thread);
  }
  closedir(folder);
  return found;
}

/// Calls wait(limit) for a real time, and lets simulated time pass if that ended by its limit.
template <class Wait, class Ended>
auto wait_for(const timespec& limit, bool from_elsewhere, Wait wait, Ended ended) {
  if (!has_time()) return wait(limit);
  const std::int64_t whole = nanoseconds(limit);
  if (has_children()) {
    const auto code = wait(limit);
    if (ended(code)) let_pass(limit);
    return code;
  }
  std::int64_t waited = from_elsewhere ? std::min(whole, real_wait) : 0;
  const int enough = __libc_single_threaded == 0 ? enough_rests : 1;
  auto code = wait(time_of(waited));
  for (int rests = 0; ended(code) && waited < whole; waited += real_wait) {
    rests = others_run() ? 0 : rests + 1;
    if (rests == enough) break;
    code = wait(time_of(std::min(whole - waited, real_wait)));
  }
  if (ended(code)) let_pass(limit);
  return code;
}

bool nothing_ready(int found) { return found == 0; }

/// Limit in milliseconds, rounded up.
int milliseconds(const timespec& limit) {
  constexpr std::int64_t one = 1'000'000;
  return static_cast<int>((nanoseconds(limit) + one - 1) / one);
}

timespec of_milliseconds(int limit) { return time_of(std::int64_t{limit} * 1'000'000); }

/// A wait until a time of a clock: wait(deadline) gets one of the real clock.
template <class Wait, class Ended>
int wait_until(clockid_t clock, const timespec& deadline, Wait wait, Ended ended) {
  timespec now{};
  if (answering() == nullptr || deadline.tv_nsec < 0 || deadline.tv_nsec >= second ||
      read_clock(clock, &now) != 0)
    return wait(deadline);
  const auto wait_really = [&](const timespec& limit) {
    return wait(time_of(nanoseconds(real_now(clock)) + nanoseconds(limit)));
  };
  return wait_for(between(now, deadline), __libc_single_threaded == 0, wait_really, ended);
}

bool timed_out(int code) { return code == ETIMEDOUT; }
bool failed_by_limit(int code) { return code == -1 && errno == ETIMEDOUT; }

/// The clock of a condition variable, as the GNU C library keeps it.
clockid_t clock_of(const pthread_cond_t& condition) {
  constexpr unsigned monotonic = 2;
  return (condition.__data.__wrefs & monotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace

// Functions of the C library are found once.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
extern "C" {

int poll(pollfd* files, nfds_t count, int limit) {
  static auto* const function = real<decltype(poll)>("poll");
  if (limit <= 0) return function(files, count, limit);
  const auto wait = [&](const timespec& time) {
    return function(files, count, milliseconds(time));
  };
  return wait_for(of_milliseconds(limit), count > 0, wait, nothing_ready);
}

int ppoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask) {
  static auto* const function = real<decltype(ppoll)>("ppoll");
  if (limit == nullptr) return function(files, count, limit, mask);
  const auto wait = [&](const timespec& time) { return function(files, count, &time, mask); };
  return wait_for(*limit, count > 0, wait, nothing_ready);
}

int pselect(int count, fd_set* in, fd_set* out, fd_set* other, const timespec* limit,
            const sigset_t* mask) {
  static auto* const function = real<decltype(pselect)>("pselect");
  if (limit == nullptr) return function(count, in, out, other, limit, mask);
  const auto wait = [&](const timespec& time) {
    return function(count, in, out, other, &time, mask);
  };
  return wait_for(*limit, count > 0, wait, nothing_ready);
}

// Linux leaves the rest of the limit in its place.
int select(int count, fd_set* in, fd_set* out, fd_set* other, timeval* limit) {
  static auto* const function = real<decltype(select)>("select");
  if (limit == nullptr) return function(count, in, out, other, limit);
  const timespec whole{limit->tv_sec, limit->tv_usec * 1000};
  const auto wait = [&](const timespec& time) {
    *limit = {time.tv_sec, time.tv_nsec / 1000};
    return function(count, in, out, other, limit);
  };
  return wait_for(whole, count > 0, wait, nothing_ready);
}

int epoll_wait(int set, epoll_event* events, int most, int limit) {
  static auto* const function = real<decltype(epoll_wait)>("epoll_wait");
  if (limit <= 0) return function(set, events, most, limit);
  const auto wait = [&](const timespec& time) {
    return function(set, events, most, milliseconds(time));
  };
  return wait_for(of_milliseconds(limit), true, wait, nothing_ready);
}

int epoll_pwait(int set, epoll_event* events, int most, int limit, const sigset_t* mask) {
  static auto* const function = real<decltype(epoll_pwait)>("epoll_pwait");
  if (limit <= 0) return function(set, events, most, limit, mask);
  const auto wait = [&](const timespec& time) {
    return function(set, events, most, milliseconds(time), mask);
  };
  return wait_for(of_milliseconds(limit), true, wait, nothing_ready);
}

int epoll_pwait2(int set, epoll_event* events, int most, const timespec* limit,
                 const sigset_t* mask) {
  using Function = int(int, epoll_event*, int, const timespec*, const sigset_t*);
  static auto* const function = real<Function>("epoll_pwait2");
  if (function == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  if (limit == nullptr) return function(set, events, most, limit, mask);
  const auto wait = [&](const timespec& time) { return function(set, events, most, &time, mask); };
  return wait_for(*limit, true, wait, nothing_ready);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  static auto* const function = real<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait");
  const auto wait = [&](const timespec& time) { return function(condition, mutex, &time); };
  return wait_until(clock_of(*condition), *deadline, wait, timed_out);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  using Function = int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static auto* const function = real<Function>("pthread_cond_clockwait");
  if (function == nullptr) return EINVAL;
  const auto wait = [&](const timespec& time) { return function(condition, mutex, clock, &time); };
  return wait_until(clock, *deadline, wait, timed_out);
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  static auto* const function = real<decltype(sem_timedwait)>("sem_timedwait");
  const auto wait = [&](const timespec& time) { return function(semaphore, &time); };
  return wait_until(CLOCK_REALTIME, *deadline, wait, failed_by_limit);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  using Function = int(sem_t*, clockid_t, const timespec*);
  static auto* const function = real<Function>("sem_clockwait");
  if (function == nullptr) {
    errno = EINVAL;
    return -1;
  }
  const auto wait = [&](const timespec& time) { return function(semaphore, clock, &time); };
  return wait_until(clock, *deadline, wait, failed_by_limit);
}
}
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
