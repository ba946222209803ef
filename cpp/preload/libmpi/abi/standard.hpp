// The standard ABI of MPI 5 (libmpi_abi.so.1): handles are pointers, small values are constants.
#pragma once

#define MPI_ABI 1
#include <mpi_abi.h>

#include <cstdint>
#include <cstring>

#include "preload/libmpi/core/requests/request.hpp"

#define ODONATA_ABI_STANDARD 1

using MPI_Fint = int;
using MPI_Handler_function = MPI_Comm_errhandler_function;  // of MPI-1

namespace odonata::libmpi::abi {

inline constexpr const char* name = "MPI 5 standard ABI";
inline constexpr live::Abi kind = live::Abi::standard;

inline constexpr std::uint64_t first_made = 0x1000;  // constants are below

template <class Handle>
Handle made_handle(Handle, std::uint32_t slot) {
  return reinterpret_cast<Handle>(first_made + slot);
}
template <class Handle>
std::int64_t slot_of(Handle, Handle handle) {
  const auto bits = reinterpret_cast<std::uint64_t>(handle);
  return bits < first_made ? -1 : static_cast<std::int64_t>(bits - first_made);
}
template <class Handle>
std::uint64_t bits_of(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

/// Integers that stand for handles have the handles' bits.
template <class Handle>
int to_integer(Handle, Handle handle) {
  return static_cast<int>(bits_of(handle));
}
template <class Handle>
Handle from_integer(Handle, int integer) {
  return reinterpret_cast<Handle>(static_cast<std::int64_t>(integer));
}

inline void write_status(MPI_Status& to, const Status& from) {
  std::memcpy(to.MPI_internal, &from.bytes, sizeof from.bytes);
  to.MPI_internal[2] = from.cancelled ? 1 : 0;
}
inline void read_status(Status& to, const MPI_Status& from) {
  std::memcpy(&to.bytes, from.MPI_internal, sizeof to.bytes);
  to.cancelled = from.MPI_internal[2] != 0;
}

}  // namespace odonata::libmpi::abi
