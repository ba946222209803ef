// What the library of Fortran's entry points needs beside MPI.
#pragma once

#include ODONATA_ABI_HEADER

extern "C" {

/// Operations and error handlers that take handles as integers.
int odonata_op_create(MPI_User_function* function, int commute, MPI_Op* op);
int odonata_errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler);

/// Ends the run with one line that names the function, as "MPI_Win_create".
void odonata_absent(const char* function);
}
