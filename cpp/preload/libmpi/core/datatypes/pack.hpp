// Packing in MPI's exchange format "external32": big-endian, with sizes that MPI prescribes.
#pragma once

#include "preload/libmpi/core/datatypes/datatype.hpp"

namespace odonata::libmpi {

/// Size of one element in "external32" [B].
[[nodiscard]] std::int64_t external_size(const Datatype& type);
void pack_external(const void* user, std::int64_t count, const Datatype& type, std::byte* out);
void unpack_external(const std::byte* in, void* user, std::int64_t count, const Datatype& type);

}  // namespace odonata::libmpi
