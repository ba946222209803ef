// Handles of MPI as numbers, whatever the ABI makes of them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "preload/libprofile/mpi.hpp"

namespace odonata::libprofile {

template <class Handle>
[[nodiscard]] std::uint64_t bits_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return std::bit_cast<std::uint64_t>(handle);
  else
    return static_cast<std::uint32_t>(handle);
}

}  // namespace odonata::libprofile
