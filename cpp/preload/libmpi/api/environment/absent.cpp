// A weak definition of every function that a release of the MPI has; a definition in another file
// replaces it. This file includes no mpi.h, because the weak definitions have no parameters.
#include "preload/libmpi/core/environment/absent.hpp"

#define ODONATA_ABSENT(function)                                                                   \
  extern "C" __attribute__((weak, visibility("default"))) int function();                          \
  extern "C" int function()

#define ODONATA_FUNCTION(name)                                                                     \
  ODONATA_ABSENT(PMPI_##name) { return odonata::libmpi::absent("MPI_" #name); }                    \
  ODONATA_ABSENT(MPI_##name) { return odonata::libmpi::absent("MPI_" #name); }

#include "preload/libmpi/api/absent_functions.inc"

// Entry points for the Fortran library: the first for functions that return an error code.
extern "C" __attribute__((visibility("default"))) int odonata_absent(const char* function) {
  return odonata::libmpi::absent(function);
}
extern "C" __attribute__((visibility("default"))) void odonata_end_in_absent(const char* function) {
  odonata::libmpi::end_in_absent(function);
}
