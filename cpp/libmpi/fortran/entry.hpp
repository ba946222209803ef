// How an entry point for Fortran is defined.
#pragma once

#include "libmpi/fortran/arguments.hpp"

#define ODONATA_FORTRAN_NAME(result, name, pname, parameters)                                      \
  extern "C" __attribute__((visibility("default"), alias(#pname))) result name parameters;

// Open MPI's modules for Fortran 2008 call `ompi_send_f`, with the same arguments.
#ifdef ODONATA_ABI_OPENMPI
#define ODONATA_FORTRAN_2008(result, name, parameters)                                             \
  ODONATA_FORTRAN_NAME(result, ompi_##name##_f, pmpi_##name##_, parameters)
#else
#define ODONATA_FORTRAN_2008(result, name, parameters)
#endif

/// Defines pmpi_x_, and mpi_x_ as another name of it:
///
///     ODONATA_MPI_FORTRAN(void, send, (void* buf, MPI_Fint* count, ..., MPI_Fint* error)) { ... }
#define ODONATA_MPI_FORTRAN(result, name, parameters)                                              \
  extern "C" __attribute__((visibility("default"))) result pmpi_##name##_ parameters;              \
  ODONATA_FORTRAN_NAME(result, mpi_##name##_, pmpi_##name##_, parameters)                          \
  ODONATA_FORTRAN_2008(result, name, parameters)                                                   \
  result pmpi_##name##_ parameters
