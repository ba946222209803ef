#include "preload/libmpi/core/environment/program_clocks.hpp"

#include <dlfcn.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <cmath>

#include "odonata/live/memory.hpp"
#include "preload/libmpi/clocks/clocks.hpp"
#include "preload/libmpi/core/environment/real_clock.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::int64_t picoseconds = 1000;   // a nanosecond
constexpr std::int64_t at_next_reading = -1;  // real time that a thread which starts later notes

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

// The names stay, one for each rank of the process.
const char* host_name() {
  if (!attached()) return nullptr;
  Process& process = self();
  if (process.host.empty())
    process.host = live::node_name(process.endpoint->header(), process.endpoint->rank());
  return process.host.c_str();
}

// The last MPI_Wtime [ps] beside a call of another thread.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local Time shown_beside = 0;

constexpr odonata_clocks answers{&read_clock, &pass_time, &host_name};

}  // namespace

void ProgramClocks::start(const live::Header& header) {
  started_ = header.clocks;
  for (const clockid_t own : {CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID})
    started_[own] = real_time(own);
  thread_ = pthread_self();
  note_told();
  running_ = true;
}

void ProgramClocks::stop(Time end) {
  stopped_ = true;
  told_ = end;
  note_told();
}

// Only another thread reads when this was: with one thread, no call of the system is made.
void ProgramClocks::note_told() {
  told_at_ =
      __libc_single_threaded != 0 && !stopped_ ? at_next_reading : real_time(CLOCK_MONOTONIC);
}

void ProgramClocks::tell(Time now) {
  if (told_ == now) return;
  told_ = now;
  note_told();
}

// A question ends with the endpoint's leave(); false if the thread may not ask, or not now.
bool ProgramClocks::begin_question(Endpoint& endpoint) const {
  return running_ && !stopped_ && pthread_equal(thread_, pthread_self()) != 0 &&
         endpoint.begin_question();
}

// Time [ns] since the start in other threads, and after the end: the last known simulated time plus
// the real time since. It never falls back when the main thread is told a time that is less.
std::int64_t ProgramClocks::elapsed_elsewhere() {
  const std::int64_t now = real_time(CLOCK_MONOTONIC);
  std::int64_t told_at = at_next_reading;
  if (told_at_.compare_exchange_strong(told_at, now)) told_at = now;
  const std::int64_t since = now - told_at;
  const std::int64_t elapsed = told_ / picoseconds + since;
  std::int64_t most = shown_;
  while (most < elapsed && !shown_.compare_exchange_weak(most, elapsed)) {
  }
  return std::max(most, elapsed);
}

bool ProgramClocks::read(Endpoint& endpoint, clockid_t clock, timespec& out) {
  if (!running_ || clock < 0 || clock >= num_clocks) return false;
  const std::int64_t started = started_[clock];
  const bool own = pthread_equal(thread_, pthread_self()) != 0;
  if (started < 0 || (clock == CLOCK_THREAD_CPUTIME_ID && !own)) return false;
  if (begin_question(endpoint)) {
    const trace::Question question{.asker = trace::Asker::c_library};
    tell(endpoint.ask(call_of(trace::Function::Wtime, trace::Op::clock, question)).now);
    endpoint.leave();
  }
  const bool at_rest = own && !stopped_;
  const std::int64_t now = started + (at_rest ? told_ / picoseconds : elapsed_elsewhere());
  out = {now / nanoseconds_a_second, now % nanoseconds_a_second};
  return true;
}

Time ProgramClocks::wtime(Time asked) {
  if (__libc_single_threaded == 0) tell(asked);
  return std::max(asked, shown_beside);
}

Time ProgramClocks::wtime_beside() {
  shown_beside = std::max(shown_beside, elapsed_elsewhere() * picoseconds);
  return shown_beside;
}

bool ProgramClocks::pass(Endpoint& endpoint, std::int64_t nanoseconds) const {
  if (!begin_question(endpoint)) return false;
  endpoint.charge_unscaled(nanoseconds);
  endpoint.leave();
  return true;
}

std::int64_t clock(trace::Function function) {
  Process& process = self();
  if (process.endpoint->gate().visited()) return process.clocks.wtime_beside();
  const trace::Call question = call_of(function, trace::Op::clock, trace::Question{});
  return process.clocks.wtime(process.endpoint->ask(question).now);
}

void watch_clocks() {
  if (auto* const use = found<decltype(odonata_clocks_use)>("odonata_clocks_use")) use(&answers);
}

bool clocks_were_read() {
  auto* const read = found<decltype(odonata_clocks_read)>("odonata_clocks_read");
  return read != nullptr && read() != 0;
}

}  // namespace odonata::libmpi
