// Functions beside MPI that the Fortran library calls.
#pragma once

#include ODONATA_ABI_HEADER

extern "C" {

/// Creates an operation, or an error handler, whose function takes handles as integers.
int odonata_op_create(MPI_User_function* function, int commute, MPI_Op* op);
int odonata_errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler);

/// Answers a call of a function (trace::Function) with a null pointer in the place of an argument.
int odonata_null_argument(int function);
}
