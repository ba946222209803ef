// The arithmetic of the operations that MPI names.
#pragma once

#include <cstdint>

#include "libmpi/core/predefined.hpp"

namespace odonata::libmpi {

/// inout = in op inout for arrays of one type.
using Reduction = void (*)(const void* in, void* inout, std::int64_t count);

/// Null if MPI does not define the operation for the type.
[[nodiscard]] Reduction reduction(NamedOp op, NamedType type);

}  // namespace odonata::libmpi
