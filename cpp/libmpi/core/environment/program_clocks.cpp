#include "libmpi/core/environment/program_clocks.hpp"

#include <dlfcn.h>

#include <cmath>

#include "libmpi/clocks/clocks.hpp"
#include "libmpi/core/environment/real_clock.hpp"
#include "libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::int64_t picoseconds = 1000;  // a nanosecond

template <class Function>
Function* found(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

int read_clock(clockid_t clock, timespec* out) {
  if (!attached()) return 0;
  Process& process = self();
  return process.clocks.read(*process.endpoint, clock, *out) ? 1 : 0;
}

int pass_time(long long nanoseconds) {
  if (!attached()) return 0;
  Process& process = self();
  return process.clocks.pass(*process.endpoint, nanoseconds) ? 1 : 0;
}

constexpr odonata_clocks answers{&read_clock, &pass_time};

}  // namespace

void ProgramClocks::start() {
  for (int clock = 0; clock < num_clocks; ++clock) started_[clock] = real_time(clock);
  thread_ = pthread_self();
  told_at_ = real_time(CLOCK_MONOTONIC);
  running_ = true;
}

void ProgramClocks::stop(Time end) {
  told_ = end;
  told_at_ = real_time(CLOCK_MONOTONIC);
  stopped_ = true;
}

// A question ends with the endpoint's leave(); false if the thread may not ask, or not now.
bool ProgramClocks::begin_question(Endpoint& endpoint) const {
  return running_ && !stopped_ && pthread_equal(thread_, pthread_self()) != 0 &&
         endpoint.begin_question();
}

// Other threads, and calls after the end, get the last known simulated time plus the real time
// since.
bool ProgramClocks::read(Endpoint& endpoint, clockid_t clock, timespec& out) {
  if (!running_ || clock < 0 || clock >= num_clocks) return false;
  const std::int64_t started = started_[clock];
  const bool own = pthread_equal(thread_, pthread_self()) != 0;
  if (started < 0 || (clock == CLOCK_THREAD_CPUTIME_ID && !own)) return false;
  if (begin_question(endpoint)) {
    const trace::Question question{.asker = trace::Asker::c_library};
    told_ = endpoint.ask(call_of(trace::Function::Wtime, trace::Op::clock, question)).now;
    told_at_ = real_time(CLOCK_MONOTONIC);
    endpoint.leave();
  }
  const bool at_rest = own && !stopped_;
  const std::int64_t since = at_rest ? 0 : real_time(CLOCK_MONOTONIC) - told_at_;
  const std::int64_t now = started + told_ / picoseconds + since;
  out = {now / nanoseconds_a_second, now % nanoseconds_a_second};
  return true;
}

bool ProgramClocks::pass(Endpoint& endpoint, std::int64_t nanoseconds) const {
  if (!begin_question(endpoint)) return false;
  endpoint.charge_unscaled(nanoseconds);
  endpoint.leave();
  return true;
}

std::int64_t clock(trace::Function function) {
  return self().endpoint->ask(call_of(function, trace::Op::clock, trace::Question{})).now;
}

void watch_clocks() {
  if (auto* const use = found<decltype(odonata_clocks_use)>("odonata_clocks_use")) use(&answers);
}

bool clocks_were_read() {
  auto* const read = found<decltype(odonata_clocks_read)>("odonata_clocks_read");
  return read != nullptr && read() != 0;
}

}  // namespace odonata::libmpi
