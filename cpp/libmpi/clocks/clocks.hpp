// What the MPI library tells the library that stands before the C library's clocks.
#pragma once

#include <ctime>

extern "C" {

/// Answers for the thread that calls.
struct odonata_clocks {
  /// Reads a clock; 0 if the real one shall be read.
  int (*read)(clockid_t clock, timespec* time);
  /// Lets simulated time go by [ns]; 0 if the thread shall really sleep.
  int (*pass)(long long nanoseconds);
};

/// From now on these answer; null: nobody does.
void odonata_clocks_use(const odonata_clocks* clocks);
/// Has the program read a clock since it started?
int odonata_clocks_read();
}
