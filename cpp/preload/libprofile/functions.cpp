// Functions that are counted and timed, and noted where there is a note: all that the mpi.h
// declares. Each takes its signature from its declaration, so that none is written here: the symbol
// MPI_x is resolved to an instance of Wrapped when the program is linked. Fortran 2008 of MPICH and
// its relatives calls PMPI_x for most functions: there this is the same symbol.
#include "preload/libprofile/wrapped.hpp"

namespace odonata::libprofile {

thread_local constinit bool inside = false;
bool threads_share = false;
std::atomic_flag counting;

}  // namespace odonata::libprofile

#ifdef OPEN_MPI
#define ODONATA_ALIAS(name)
#else
#define ODONATA_ALIAS(name)                                                                        \
  __attribute__((visibility("default"),                                                            \
                 ifunc("odonata_resolve_" #name))) decltype(PMPI_##name) PMPI_##name;
#endif

#define ODONATA_PROFILED(name)                                                                     \
  extern "C" {                                                                                     \
  [[gnu::visibility("hidden")]] auto odonata_resolve_##name() -> decltype(&PMPI_##name);           \
  auto odonata_resolve_##name() -> decltype(&PMPI_##name) {                                        \
    using namespace odonata::libprofile;                                                           \
    return &Wrapped<Function::name, decltype(PMPI_##name)>::call;                                  \
  }                                                                                                \
  __attribute__((visibility("default"),                                                            \
                 ifunc("odonata_resolve_" #name))) decltype(PMPI_##name) MPI_##name;               \
  ODONATA_ALIAS(name)                                                                              \
  }

#include "profiled_functions.inc"
