// The names of the functions of MPI, numbered.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace odonata::trace {

/// Numbers of functions: Function::Send is MPI_Send.
enum class Function : std::uint16_t {
#define ODONATA_FUNCTION(name) name,
#include "odonata/trace/functions.inc"
#undef ODONATA_FUNCTION
};

/// All names, by number: "MPI_Send".
[[nodiscard]] std::span<const std::string_view> function_names();

}  // namespace odonata::trace
