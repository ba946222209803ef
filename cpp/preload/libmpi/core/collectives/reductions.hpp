// Arithmetic of the predefined operations.
#pragma once

#include <cstdint>

#include "preload/libmpi/core/collectives/named_ops.hpp"
#include "preload/libmpi/core/datatypes/named_types.hpp"

namespace odonata::libmpi {

/// inout = in op inout for arrays of one type.
using Reduction = void (*)(const void* in, void* inout, std::int64_t count);

/// The function for an operation and a type; null if MPI does not define this combination.
[[nodiscard]] Reduction reduction(NamedOp op, NamedType type);

}  // namespace odonata::libmpi
