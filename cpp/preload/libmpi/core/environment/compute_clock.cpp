#include "preload/libmpi/core/environment/compute_clock.hpp"

#include <dirent.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>

#include "preload/libmpi/core/environment/real_clock.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::int64_t worth_a_look = 10'000;  // [ns] of work by other threads

/// The kernel's number of the processor clock of a thread.
clockid_t clock_of(pid_t thread) {
  constexpr int per_thread = 4, scheduler = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | per_thread | scheduler);
}

/// Processor times of the threads of this process at the last look [ns].
std::map<pid_t, std::int64_t>& seen() {
  static std::map<pid_t, std::int64_t> the_times;
  return the_times;
}

// The longest compute time of a thread since the last look; without `except`, where that is one.
std::int64_t busiest(pid_t except) {
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  std::map<pid_t, std::int64_t> now;
  std::int64_t most = 0;
  while (const dirent* entry = readdir(folder)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread <= 0) continue;
    const std::int64_t used = now[thread] = std::max<std::int64_t>(real_time(clock_of(thread)), 0);
    if (thread == except) continue;
    const auto before = seen().find(thread);
    most = std::max(most, before == seen().end() ? used : used - before->second);
  }
  closedir(folder);
  seen() = std::move(now);
  return most;
}

}  // namespace

void ComputeClock::start() {
  starter_ = pthread_self();
  process_ = __libc_single_threaded != 0 ? -1 : real_time(CLOCK_PROCESS_CPUTIME_ID);
  thread_ = real_time(CLOCK_THREAD_CPUTIME_ID);
}

// A thread that was started since the last look has used all its processor time since then. The
// thread's own clock says nothing where another thread has made the last call.
std::int64_t ComputeClock::stop() {
  const bool same = pthread_equal(starter_, pthread_self()) != 0;
  const std::int64_t own = same ? real_time(CLOCK_THREAD_CPUTIME_ID) - thread_ : 0;
  if (same && __libc_single_threaded != 0) return own;
  const std::int64_t before = process_ < 0 ? thread_ : process_;
  const std::int64_t others = real_time(CLOCK_PROCESS_CPUTIME_ID) - before - own;
  if (same && others < worth_a_look) return own;
  const pid_t except = same ? static_cast<pid_t>(syscall(SYS_gettid)) : 0;
  return std::max(own, std::min(others, busiest(except)));
}

}  // namespace odonata::libmpi
