// The clocks of the C library as a rank of the program reads them. From MPI_Init on, a clock of the
// system shows its value at the MPI_Init of the last rank plus the simulated time since, so that
// the clocks of all ranks agree; a clock of the processor continues from its own value. After
// MPI_Finalize clocks continue in real time.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>

#include "odonata/live/layout.hpp"
#include "odonata/trace/functions.hpp"
#include "odonata/units/units.hpp"

namespace odonata::libmpi {

class Endpoint;

class ProgramClocks {
 public:
  /// All ranks have started MPI, this one in the thread that calls; its simulated time is 0.
  void start(const live::Header& header);
  /// MPI ends at a simulated time [ps].
  void stop(Time end);
  /// Reads a clock; returns false for clocks that stay real. Asks for the simulated time where that
  /// is possible: in the thread that called start(), outside of MPI.
  bool read(Endpoint& endpoint, clockid_t clock, timespec& out);
  /// MPI_Wtime [ps] of a thread that has asked the simulator, and of one that calls while another
  /// is in a call, as elapsed_elsewhere(). Neither falls back in a thread.
  [[nodiscard]] Time wtime(Time asked);
  [[nodiscard]] Time wtime_beside();
  /// Lets the rank sleep for a time [ns]; returns false if the thread shall really sleep.
  bool pass(Endpoint& endpoint, std::int64_t nanoseconds) const;

 private:
  static constexpr int num_clocks = static_cast<int>(live::num_clocks);

  [[nodiscard]] bool begin_question(Endpoint& endpoint) const;
  void tell(Time now);
  void note_told();
  [[nodiscard]] std::int64_t elapsed_elsewhere();

  bool running_ = false, stopped_ = false;
  pthread_t thread_{};
  std::array<std::int64_t, live::num_clocks> started_{};  // [ns] of each when MPI started; -1: none
  std::atomic<std::int64_t> shown_ = 0;  // [ns] the most that another thread has seen since then
  std::atomic<Time> told_ = 0;  // [ps] simulated
  std::atomic<std::int64_t> told_at_ = 0;  // [ns] real
};

/// Simulated time [ps].
[[nodiscard]] std::int64_t clock(trace::Function function);

/// From now on this library answers when the program reads a clock, if the library of clocks is
/// loaded.
void watch_clocks();
/// Has the program read a clock?
[[nodiscard]] bool clocks_were_read();

}  // namespace odonata::libmpi
