// Functions of MPI that this library does not support.
#pragma once

#include <string>
#include <string_view>

namespace odonata::libmpi {

/// The reason, such as "MPI_Win_create is not supported: one-sided communication is absent".
[[nodiscard]] std::string why_absent(std::string_view function);

/// Ends the run with the reason in one line.
[[noreturn]] void end_in_absent(std::string_view function);

/// A call of the absent function of this name; every ABI's layer defines it. Runs the error handler
/// of the world and returns the code of MPI_ERR_UNSUPPORTED_OPERATION.
int absent(std::string_view function);

}  // namespace odonata::libmpi
