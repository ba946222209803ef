// Functions of the C library itself, which functions of the same names here stand before.
#pragma once

#include <dlfcn.h>

#include <cstdint>

#include "preload/libmpi/clocks/clocks.hpp"

namespace odonata::clocks {

inline constexpr std::int64_t second = 1'000'000'000;  // [ns]

/// The C library's own function; null if it has none of that name.
template <class Function>
Function* real(const char* name) {
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
  static void* const library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

/// Who answers for the clocks and the node; null where no rank is in MPI.
const odonata_clocks* answering();

/// Reads a clock as the program sees it, or the real one; 0, or the error of the real one.
int read_clock(clockid_t clock, timespec* time);

/// Lets simulated time pass; false if the thread has to wait really.
bool let_pass(const timespec& time);

/// Time from one to the other, 0 if that is before.
timespec between(const timespec& start, const timespec& end);

}  // namespace odonata::clocks
