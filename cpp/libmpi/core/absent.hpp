// Functions of MPI that are not here.
#pragma once

#include <string>
#include <string_view>

namespace odonata::libmpi {

/// Why a function is absent: "MPI_Win_create is not supported: one-sided communication is absent"
[[nodiscard]] std::string why_absent(std::string_view function);

/// Ends the run with one line that says it.
[[noreturn]] void end_in_absent(std::string_view function);

/// The call of an absent function of this name, as the layer of each ABI treats it: runs the error
/// handler of the world, and returns the code of MPI_ERR_UNSUPPORTED_OPERATION.
int absent(std::string_view function);

}  // namespace odonata::libmpi
