// Definition of an entry point for Fortran.
#pragma once

#include "preload/libmpi/fortran/arguments.hpp"

/// Defines pmpi_x_, and mpi_x_ as another name of it:
///
///     ODONATA_MPI_FORTRAN(void, send, (void* buf, MPI_Fint* count, ..., MPI_Fint* error)) { ... }
#define ODONATA_MPI_FORTRAN(result, name, parameters)                                              \
  extern "C" __attribute__((visibility("default"))) result pmpi_##name##_ parameters;              \
  extern "C" __attribute__((visibility("default"),                                                 \
                            alias("pmpi_" #name "_"))) result mpi_##name##_ parameters;            \
  result pmpi_##name##_ parameters
