// The clocks of the C library as one rank of the program reads them: from MPI_Init on, what they
// were then and the simulated time since. After MPI_Finalize they go on from there.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>

#include "odonata/units/units.hpp"

namespace odonata::libmpi {

class Link;

class ProgramClocks {
 public:
  /// MPI starts, in the thread that calls; the rank's simulated time is 0.
  void start();
  /// MPI ends at a simulated time [ps].
  void stop(Time end);
  /// What a clock shows now; false for clocks that stay real. Asks for the simulated time where
  /// that is possible: in the thread that started, outside of MPI.
  bool read(Link& link, clockid_t clock, timespec& out);
  /// The rank sleeps for so long [ns]; false if the thread shall really sleep.
  bool pass(Link& link, std::int64_t nanoseconds) const;

 private:
  static constexpr int num_clocks = 12;

  [[nodiscard]] bool asks(const Link& link) const;

  bool running_ = false, stopped_ = false;
  pthread_t thread_{};
  std::array<std::int64_t, num_clocks> started_{};  // [ns] of each clock when MPI started; -1: none
  std::atomic<Time> told_ = 0;  // [ps] simulated
  std::atomic<std::int64_t> told_at_ = 0;  // [ns] real
};

/// Answers where the program reads clocks, if it was started with the library for that.
void watch_clocks();
/// Has the program read any?
[[nodiscard]] bool clocks_were_read();

}  // namespace odonata::libmpi
