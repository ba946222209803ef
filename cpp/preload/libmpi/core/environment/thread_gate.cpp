#include "preload/libmpi/core/environment/thread_gate.hpp"

#include <thread>
#include <utility>

namespace odonata::libmpi {

namespace {

/// Counts a thread while it waits.
class Queued {
 public:
  explicit Queued(std::atomic<int>& number) : number_(number) { ++number_; }
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;
  ~Queued() { --number_; }

 private:
  std::atomic<int>& number_;
};

}  // namespace

bool ThreadGate::change(State from, State to) {
  return state_.compare_exchange_strong(from, to, std::memory_order_acquire,
                                        std::memory_order_relaxed);
}

bool ThreadGate::try_take(State how) {
  if (!change(0, how)) return false;
  thread_.store(pthread_self(), std::memory_order_relaxed);
  depth_ = 1;
  return true;
}

bool ThreadGate::try_visit() {
  const State now = state_.load(std::memory_order_relaxed);
  if ((now & sleeps) == 0 || (now & visit) != 0 || !change(now, now | visit)) return false;
  host_ = thread_.exchange(pthread_self(), std::memory_order_relaxed);
  host_depth_ = std::exchange(depth_, 1);
  return true;
}

ThreadGate::Entry ThreadGate::enter(trace::Function function, bool local) {
  if (!mine()) return local ? enter_briefly(function) : enter_to_stay(function);
  if (visited() && !local) return Entry::refused;
  ++depth_;
  return Entry::nested;
}

ThreadGate::Entry ThreadGate::enter_briefly(trace::Function function) {
  for (;; std::this_thread::yield()) {
    if (waiting_.load() != 0) continue;
    if (try_take(taken)) {
      under_way_.store(function);
      return Entry::first;
    }
    if (try_visit()) return Entry::visiting;
  }
}

ThreadGate::Entry ThreadGate::enter_to_stay(trace::Function function) {
  if (!try_take(taken | lasts)) {
    const Queued queued(waiting_);
    while (!try_take(taken | lasts)) {
      if ((state_.load() & lasts) != 0) return Entry::refused;
      std::this_thread::yield();
    }
  }
  under_way_.store(function);
  return Entry::first;
}

bool ThreadGate::try_question() { return waiting_.load() == 0 && try_take(taken); }

void ThreadGate::leave() {
  if (--depth_ > 0) return;
  const bool visits = visited();
  thread_.store(visits ? host_ : 0, std::memory_order_relaxed);
  if (visits) depth_ = host_depth_;
  state_.fetch_and(visits ? ~visit : State{0}, std::memory_order_release);
}

// A rank that waits in MPI_Init is in no call yet.
void ThreadGate::sleep() {
  if (state_.load(std::memory_order_relaxed) != 0)
    state_.fetch_or(sleeps, std::memory_order_release);
}

bool ThreadGate::try_wake() {
  const State now = state_.load(std::memory_order_relaxed) & ~visit;
  return change(now, now & ~sleeps);
}

void ThreadGate::wake() {
  if (try_wake()) return;
  const Queued queued(waiting_);
  while (!try_wake()) std::this_thread::yield();
}

}  // namespace odonata::libmpi
