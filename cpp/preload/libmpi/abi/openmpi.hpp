// The ABI of Open MPI 4 and 5 (libmpi.so.40): handles are pointers, constants are addresses of
// objects that the library exports (openmpi_objects.cpp).
#pragma once

#define OMPI_SKIP_MPICXX 1
#define OMPI_OMIT_MPI1_COMPAT_DECLS 1
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#include <mpi.h>

#include <cstdint>

#include "preload/libmpi/core/requests/request.hpp"

#define ODONATA_ABI_OPENMPI 1

using MPI_Handler_function = MPI_Comm_errhandler_function;  // of MPI-1
#if MPI_VERSION < 4
using MPI_User_function_c = void(void*, void*, MPI_Count*, MPI_Datatype*);
#endif
#if defined(MPIX_C_FLOAT16) && !defined(MPI_C_FLOAT16)
#define MPI_C_FLOAT16 MPIX_C_FLOAT16
#endif
#ifndef MPI_LB
extern "C" struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub;
#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)
#endif

#include "preload/libmpi/abi/openmpi_integers.hpp"  // after all constants
#include "preload/libmpi/abi/openmpi_later.hpp"

namespace odonata::libmpi::abi {

inline constexpr const char* name = "Open MPI";
inline constexpr live::Abi kind = live::Abi::openmpi;

inline constexpr std::uint64_t made = std::uint64_t{1} << 62;  // no object has such an address

template <class Handle>
Handle made_handle(Handle, std::uint32_t slot) {
  return reinterpret_cast<Handle>(made | slot);
}
template <class Handle>
std::uint64_t bits_of(Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}
template <class Handle>
std::int64_t slot_of(Handle, Handle handle) {
  const std::uint64_t bits = bits_of(handle);
  return (bits & made) == 0 ? -1 : static_cast<std::int64_t>(bits ^ made);
}

// Integers that stand for handles in Fortran: the constants of mpif.h, then the program's handles.
inline constexpr int first_made_integer = 1024;

template <class Handle>
int to_integer(Handle null, Handle handle) {
  const std::int64_t slot = slot_of(null, handle);
  return slot < 0 ? integer_of_constant(handle) : first_made_integer + static_cast<int>(slot);
}
template <class Handle>
Handle from_integer(Handle null, int integer) {
  if (integer < first_made_integer) return constant_of_integer(null, integer);
  return made_handle(null, static_cast<std::uint32_t>(integer - first_made_integer));
}

inline void write_status(MPI_Status& to, const Status& from) {
  to._ucount = static_cast<std::size_t>(from.bytes);
  to._cancelled = from.cancelled ? 1 : 0;
}
inline void read_status(Status& to, const MPI_Status& from) {
  to.bytes = static_cast<std::int64_t>(from._ucount);
  to.cancelled = from._cancelled != 0;
}

}  // namespace odonata::libmpi::abi
