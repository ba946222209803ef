// The threads of a rank in the library. One runs in it at a time:
//
//     free ──▶ running ◀──▶ asleep ◀──▶ visited
//
// A call that communicates lasts until it returns, and another one beside it is refused. A local
// call and a question for the time are brief: everybody waits for their end. While a call sleeps,
// another thread may visit the library for a local call.
#pragma once

#include <pthread.h>

#include <atomic>

#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

class ThreadGate {
 public:
  enum class Entry { first, nested, visiting, refused };

  /// Enters for a call of the program; a call from one of its callbacks is nested.
  [[nodiscard]] Entry enter(trace::Function function, bool local);
  /// Enters for a question for the time, which gives way to calls; false while there is one.
  [[nodiscard]] bool try_question();
  void leave();
  /// The call that runs begins and ends to sleep.
  void sleep();
  void wake();

  /// Is this thread in the library?
  [[nodiscard]] bool mine() const {
    return thread_.load(std::memory_order_relaxed) == pthread_self();
  }
  [[nodiscard]] bool visited() const {
    return (state_.load(std::memory_order_relaxed) & visit) != 0;
  }
  [[nodiscard]] bool nested() const { return depth_ > 1; }
  /// Would leave() end a call that is neither nested nor a visit?
  [[nodiscard]] bool ends() const { return depth_ == 1 && !visited(); }
  /// The call that is neither nested nor a visit.
  [[nodiscard]] trace::Function under_way() const { return under_way_.load(); }

 private:
  using State = unsigned;
  static constexpr State taken = 1, lasts = 2, sleeps = 4, visit = 8;

  [[nodiscard]] Entry enter_briefly(trace::Function function);
  [[nodiscard]] Entry enter_to_stay(trace::Function function);
  [[nodiscard]] bool change(State from, State to);
  [[nodiscard]] bool try_take(State how);
  [[nodiscard]] bool try_visit();
  [[nodiscard]] bool try_wake();

  std::atomic<State> state_ = 0;
  std::atomic<int> waiting_ = 0;  // calls that brief ones let pass
  std::atomic<pthread_t> thread_ = 0;  // in the library
  int depth_ = 0;  // of its nested calls
  std::atomic<trace::Function> under_way_{};
  pthread_t host_ = 0;  // while it is visited: whose call sleeps, and how deep it is nested
  int host_depth_ = 0;
};

}  // namespace odonata::libmpi
