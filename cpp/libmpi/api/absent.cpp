// A weak definition of every function of MPI: those that other files define win. This file includes
// no mpi.h, because these have no parameters.
#include "libmpi/core/absent.hpp"

#define ODONATA_ABSENT(function)                                                                   \
  extern "C" __attribute__((weak, visibility("default"))) void function();                         \
  extern "C" void function()

#define ODONATA_FUNCTION(name)                                                                     \
  ODONATA_ABSENT(PMPI_##name) { odonata::libmpi::absent("MPI_" #name); }                           \
  ODONATA_ABSENT(MPI_##name) { odonata::libmpi::absent("MPI_" #name); }

#include "odonata/trace/functions.inc"

// For the library of Fortran's entry points.
extern "C" __attribute__((visibility("default"))) void odonata_absent(const char* function) {
  odonata::libmpi::absent(function);
}
