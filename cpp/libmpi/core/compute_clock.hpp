// Processor time that the program of a rank uses between its calls of MPI.
//
// A rank with threads of its own (OpenMP) computes as long as the busiest of them: on the machine
// each has a core.
#pragma once

#include <cstdint>

namespace odonata::libmpi {

class ComputeClock {
 public:
  /// The program goes on.
  void start();
  /// How long it has computed since then [ns].
  [[nodiscard]] std::int64_t stop();

 private:
  std::int64_t thread_ = 0;    // [ns] of the rank's thread at the start
  std::int64_t process_ = -1;  // [ns] of all threads; -1: there was one
};

}  // namespace odonata::libmpi
