// Processor time of a rank's program between its calls of MPI.
//
// A rank with several threads (OpenMP) computes as long as the busiest of them: on the machine each
// thread has a core.
#pragma once

#include <pthread.h>

#include <cstdint>

namespace odonata::libmpi {

class ComputeClock {
 public:
  /// Starts when the program continues.
  void start();
  /// Compute time since start() [ns].
  [[nodiscard]] std::int64_t stop();

 private:
  pthread_t starter_{};  // the thread that the program continued in
  std::int64_t thread_ = 0;  // [ns] of that thread at the start
  std::int64_t process_ = -1;  // [ns] of all threads; -1: there was one
};

}  // namespace odonata::libmpi
