// Packing in the exchangeable form of MPI, "external32": big-endian, sizes that MPI prescribes.
#pragma once

#include "libmpi/core/datatype.hpp"

namespace odonata::libmpi {

/// [B] of one element.
[[nodiscard]] std::int64_t external_size(const Datatype& type);
void pack_external(const void* user, std::int64_t count, const Datatype& type, std::byte* out);
void unpack_external(const std::byte* in, void* user, std::int64_t count, const Datatype& type);

}  // namespace odonata::libmpi
