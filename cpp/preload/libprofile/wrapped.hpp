// A function of MPI with the recorder around it.
#pragma once

#include <atomic>

#include "preload/libprofile/notes.hpp"
#include "preload/libprofile/records.hpp"

namespace odonata::libprofile {

/// Whether this thread is in a call of the program. Calls that an MPI makes of its own functions
/// belong to that one.
extern thread_local constinit bool inside __attribute__((tls_model("initial-exec")));

/// Whether several threads may call at once, and who of them counts.
extern bool threads_share;
extern std::atomic_flag counting;

/// A lock of the recorder, where several threads may call at once.
class RecorderLock {
 public:
  RecorderLock() {
    while (threads_share && counting.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~RecorderLock() {
    if (threads_share) counting.clear(std::memory_order_release);
  }
  RecorderLock(const RecorderLock&) = delete;
  RecorderLock& operator=(const RecorderLock&) = delete;
};

// ---- tests and probes, and whether they have found something

template <Function function>
inline constexpr int place_of_flag = -1;
#define ODONATA_POLL(name, place)                                                                  \
  template <>                                                                                      \
  inline constexpr int place_of_flag<Function::name> = place;
ODONATA_POLL(Test, 1)
ODONATA_POLL(Testall, 2)
ODONATA_POLL(Testany, 3)
ODONATA_POLL(Testsome, 2)
ODONATA_POLL(Iprobe, 3)
ODONATA_POLL(Improbe, 3)
ODONATA_POLL(Parrived, 2)
ODONATA_POLL(Request_get_status, 1)
ODONATA_POLL(Request_get_status_all, 2)
ODONATA_POLL(Request_get_status_any, 3)
ODONATA_POLL(Request_get_status_some, 2)
#undef ODONATA_POLL

template <Function function, class... Args>
trace::Found found_by([[maybe_unused]] const Args&... arguments) {
  if constexpr (place_of_flag<function> < 0) {
    return trace::Found::unknown;
  } else {
    const int* const flag = std::get<place_of_flag<function>>(std::tie(arguments...));
    return *flag == 0 ? trace::Found::flag_off : trace::Found::flag_on;
  }
}

// ---- the call

template <Function function, class Signature>
struct Wrapped;

template <Function function, class Result, class... Args>
struct Wrapped<function, Result(Args...)> {
  static Result call(Args... arguments) {
    Result (*const there)(Args...) = real<function, Result(Args...)>.get();
    if (recorder == nullptr || inside) return there(arguments...);
    inside = true;
    if (recorder->journal() != nullptr) [[unlikely]] {
      const Result result = traced(there, arguments...);
      inside = false;
      return result;
    }
    {
      const RecorderLock lock;
      NoteBefore<function>::before(*recorder, arguments...);
    }
    const std::uint64_t began = ticks(counter);
    const Result result = there(arguments...);
    const std::uint64_t ended = ticks(counter);
    if (recorder != nullptr) note(began, ended, result, arguments...);
    inside = false;
    return result;
  }

 private:
  static void note(std::uint64_t began, std::uint64_t ended, Result result,
                   const Args&... arguments) {
    const RecorderLock lock;
    profile::Tally& tally = recorder->tally();
    tally.pass(ended);
    tally.call(static_cast<std::uint32_t>(function),
               is_good(result) ? found_by<function>(arguments...) : trace::Found::unknown,
               ended - began);
    if (is_good(result)) Note<function>::after(*recorder, arguments...);
  }

  static bool is_good(Result result) {
    return !std::is_same_v<Result, int> || result == Result{MPI_SUCCESS};
  }

  // The call with its records; out of the way of calls that are only counted.
  [[gnu::noinline]] static Result traced(Result (*there)(Args...), Args... arguments) {
    Traced trace{*recorder, *recorder->journal(), {}, {}};
    {
      const RecorderLock lock;
      NoteBefore<function>::before(*recorder, arguments...);
      Record<function>::before(trace, arguments...);
    }
    const std::uint64_t began = ticks(counter);
    const Result result = there(arguments...);
    const std::uint64_t ended = ticks(counter);
    if (recorder == nullptr) return result;
    note(began, ended, result, arguments...);
    const RecorderLock lock;
    trace.journal.enter(function, began, ended);
    if (is_good(result)) Record<function>::after(trace, arguments...);
    trace.journal.leave();
    return result;
  }
};

}  // namespace odonata::libprofile
