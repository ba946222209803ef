// The interface by which the MPI library answers for the clocks of the C library.
#pragma once

#include <ctime>

extern "C" {

/// Answers for the thread that calls.
struct odonata_clocks {
  /// Reads a clock; 0 if the real one shall be read.
  int (*read)(clockid_t clock, timespec* time);
  /// Lets simulated time [ns] pass; 0 if the thread shall really sleep.
  int (*pass)(long long nanoseconds);
  /// Name of the node that the rank is on; null if there is no rank.
  const char* (*host)();
};

/// Sets the functions that answer; null restores the real clocks.
void odonata_clocks_use(const odonata_clocks* clocks);
/// Has the program read a clock since it started?
int odonata_clocks_read();
/// Names of the functions of the C library that this library stands before, and null.
extern const char* const odonata_clocks_functions[];
}
