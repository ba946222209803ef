// A weak definition of every function of MPI: those that other files define win. The list is the
// one of trace/functions.inc, with the names that Fortran has for them.
extern "C" void odonata_absent(const char* function);

#define ODONATA_ABSENT(name, Name)                                                                 \
  extern "C" __attribute__((weak, visibility("default"))) void name() { odonata_absent(Name); }

#define ODONATA_FORTRAN_ABSENT(name, Name)                                                         \
  ODONATA_ABSENT(mpi_##name##_, "MPI_" #Name)                                                      \
  ODONATA_ABSENT(pmpi_##name##_, "MPI_" #Name)

#include "fortran_functions.inc"
