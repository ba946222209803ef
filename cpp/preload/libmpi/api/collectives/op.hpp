// Reduction operations that the program defines.
#pragma once

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// Calls a function of C, which takes the datatype as a handle.
[[nodiscard]] OpRef user_op(MPI_User_function* function, bool commutative);
[[nodiscard]] OpRef user_op(MPI_User_function_c* function, bool commutative);

/// Calls a function of Fortran, which takes the datatype as an integer.
using FortranFunction = void(void* in, void* inout, int* count, int* datatype);
[[nodiscard]] OpRef fortran_op(FortranFunction* function, bool commutative);

}  // namespace odonata::libmpi::api
