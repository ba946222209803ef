// The ABI of MPICH (libmpi.so.12), which Intel MPI and Cray MPI share: handles are integers.
#pragma once

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>

#include "preload/libmpi/core/requests/request.hpp"

#undef MPI_Comm_c2f
#undef MPI_Comm_f2c
#undef MPI_Type_c2f
#undef MPI_Type_f2c
#undef MPI_Group_c2f
#undef MPI_Group_f2c
#undef MPI_Info_c2f
#undef MPI_Info_f2c
#undef MPI_Request_c2f
#undef MPI_Request_f2c
#undef MPI_Op_c2f
#undef MPI_Op_f2c
#undef MPI_Errhandler_c2f
#undef MPI_Errhandler_f2c
#undef MPI_Message_c2f
#undef MPI_Message_f2c
#undef PMPI_Comm_c2f
#undef PMPI_Comm_f2c
#undef PMPI_Type_c2f
#undef PMPI_Type_f2c
#undef PMPI_Group_c2f
#undef PMPI_Group_f2c
#undef PMPI_Info_c2f
#undef PMPI_Info_f2c
#undef PMPI_Request_c2f
#undef PMPI_Request_f2c
#undef PMPI_Op_c2f
#undef PMPI_Op_f2c
#undef PMPI_Errhandler_c2f
#undef PMPI_Errhandler_f2c
#undef PMPI_Message_c2f
#undef PMPI_Message_f2c
#undef MPI_Session_c2f
#undef MPI_Session_f2c
#undef PMPI_Session_c2f
#undef PMPI_Session_f2c
#undef MPI_Win_c2f
#undef MPI_Win_f2c
#undef PMPI_Win_c2f
#undef PMPI_Win_f2c

#define ODONATA_ABI_MPICH 1
#if defined(MPIX_C_FLOAT16) && !defined(MPI_C_FLOAT16)
#define MPI_C_FLOAT16 MPIX_C_FLOAT16
#endif

namespace odonata::libmpi::abi {

inline constexpr const char* name = "MPICH";
inline constexpr live::Abi kind = live::Abi::mpich;

// Handles of one kind share their upper bits: the highest two are 0 for the null handle, 1 for
// constants and 2 for handles that the program made. All are `int`, so the null handle tells the
// kind. The first slots of the program's handles are constants, too: MPI_FLOAT_INT and its like.
inline constexpr std::uint32_t first_made = 16;

inline int made_handle(int null, std::uint32_t slot) {
  return static_cast<int>((static_cast<std::uint32_t>(null) & 0x3c000000U) | 0x80000000U |
                          (slot + first_made));
}
inline std::int64_t slot_of(int null, int handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  if ((bits & 0xfc000000U) != ((static_cast<std::uint32_t>(null) & 0x3c000000U) | 0x80000000U))
    return -1;
  return static_cast<std::int64_t>(bits & 0x03ffffffU) - first_made;
}
inline std::uint64_t bits_of(int handle) { return static_cast<std::uint32_t>(handle); }

/// Integers that stand for handles in Fortran are the handles.
inline int to_integer(int, int handle) { return handle; }
inline int from_integer(int, int integer) { return integer; }

// The count has 63 bits; the lowest bit of its upper half says that the message was cancelled.
inline void write_status(MPI_Status& to, const Status& from) {
  const auto bytes = static_cast<std::uint64_t>(from.bytes);
  to.count_lo = static_cast<int>(static_cast<std::uint32_t>(bytes));
  to.count_hi_and_cancelled =
      static_cast<int>(static_cast<std::uint32_t>(bytes >> 32) << 1 | (from.cancelled ? 1U : 0U));
}
inline void read_status(Status& to, const MPI_Status& from) {
  const auto high = static_cast<std::uint32_t>(from.count_hi_and_cancelled);
  to.bytes = static_cast<std::int64_t>(std::uint64_t{high >> 1} << 32 |
                                       static_cast<std::uint32_t>(from.count_lo));
  to.cancelled = (high & 1U) != 0;
}

}  // namespace odonata::libmpi::abi
