#include "libmpi/core/compute_clock.hpp"

#include <dirent.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>

namespace odonata::libmpi {

namespace {

constexpr std::int64_t second = 1'000'000'000;   // [ns]
constexpr std::int64_t worth_a_look = 10'000;    // [ns] of work by other threads

// The real clock, whatever stands before the C library's function.
std::int64_t read(clockid_t clock) {
  timespec time{};
  if (syscall(SYS_clock_gettime, clock, &time) != 0) return 0;
  return std::int64_t{time.tv_sec} * second + time.tv_nsec;
}

/// The kernel's number of the processor clock of a thread.
clockid_t clock_of(pid_t thread) {
  constexpr int per_thread = 4, scheduler = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | per_thread | scheduler);
}

/// Processor times of the other threads of this process, when somebody looked last [ns].
std::map<pid_t, std::int64_t>& seen() {
  static std::map<pid_t, std::int64_t> the_times;
  return the_times;
}

// The most that one of the others has computed since the last look.
std::int64_t busiest_other() {
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  std::map<pid_t, std::int64_t> now;
  std::int64_t most = 0;
  while (const dirent* entry = readdir(folder)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread <= 0 || thread == self) continue;
    const std::int64_t used = now[thread] = read(clock_of(thread));
    const auto before = seen().find(thread);
    most = std::max(most, before == seen().end() ? used : used - before->second);
  }
  closedir(folder);
  seen() = std::move(now);
  return most;
}

}  // namespace

void ComputeClock::start() {
  process_ = __libc_single_threaded != 0 ? -1 : read(CLOCK_PROCESS_CPUTIME_ID);
  thread_ = read(CLOCK_THREAD_CPUTIME_ID);
}

// Threads that were started since have used processor time only since.
std::int64_t ComputeClock::stop() {
  const std::int64_t own = read(CLOCK_THREAD_CPUTIME_ID) - thread_;
  if (__libc_single_threaded != 0) return own;
  const std::int64_t before = process_ < 0 ? thread_ : process_;
  const std::int64_t others = read(CLOCK_PROCESS_CPUTIME_ID) - before - own;
  if (others < worth_a_look) return own;
  return std::max(own, std::min(others, busiest_other()));
}

}  // namespace odonata::libmpi
