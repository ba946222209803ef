// Operations of the program's own.
#pragma once

#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// A function of C; the datatype is given as a handle.
[[nodiscard]] OpRef user_op(MPI_User_function* function, bool commutative);
[[nodiscard]] OpRef user_op(MPI_User_function_c* function, bool commutative);

/// A function of Fortran; the datatype is given as an integer.
using FortranFunction = void(void* in, void* inout, int* count, int* datatype);
[[nodiscard]] OpRef fortran_op(FortranFunction* function, bool commutative);

}  // namespace odonata::libmpi::api
