// MPI_Pcontrol: compute times that the program states, and phases of the run.
#include <cmath>
#include <cstdarg>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

namespace {

// MPI_Pcontrol(computed, seconds) states how long the program computed, in place of a clock.
constexpr int computed = 13'663'866;
constexpr double most_computed = 1e6;  // [s] at once

}  // namespace

// MPI leaves the meaning of levels above 2, and of the arguments after them, to the library.
ODONATA_MPI(int, Pcontrol, (const int level, ...)) {
  if (level == computed) {
    va_list rest;
    va_start(rest, level);
    const double seconds = va_arg(rest, double);
    va_end(rest);
    return call(Function::Pcontrol, [&] {
      require(seconds >= 0 && seconds <= most_computed, ErrorClass::arg,
              "the compute time is out of range; allowed: 0 to 1e6 s");
      self().endpoint->charge(std::llround(seconds * 1e9));
    });
  }
  return call(Function::Pcontrol, [&] {
    self().endpoint->report(call_of(Function::Pcontrol, trace::Op::phase, trace::Phase{level}));
  });
}

}  // namespace odonata::libmpi::api
