// Functions of MPI that are not here.
#pragma once

#include <string_view>

namespace odonata::libmpi {

/// Ends the run with one line that names the function, as "MPI_Win_create".
[[noreturn]] void absent(std::string_view function);

}  // namespace odonata::libmpi
