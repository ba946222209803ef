// Inquiries about the ABI and the hardware.
#include <algorithm>
#include <string_view>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

namespace {

// The datatypes that this ABI names.
constexpr std::string_view declared[] = {
#define ODONATA_DECLARED_TYPES
#define ODONATA_TYPE(name, ...) #name,
#define ODONATA_PAIR ODONATA_TYPE
#include "preload/libmpi/core/datatypes/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE
};

struct FortranType {
  const char* key;  // of MPI_Abi_get_fortran_info
  std::string_view name;
};
constexpr FortranType fortran_types[] = {
    {"mpi_logical1_supported", "LOGICAL1"},
    {"mpi_logical2_supported", "LOGICAL2"},
    {"mpi_logical4_supported", "LOGICAL4"},
    {"mpi_logical8_supported", "LOGICAL8"},
    {"mpi_logical16_supported", "LOGICAL16"},
    {"mpi_integer1_supported", "INTEGER1"},
    {"mpi_integer2_supported", "INTEGER2"},
    {"mpi_integer4_supported", "INTEGER4"},
    {"mpi_integer8_supported", "INTEGER8"},
    {"mpi_integer16_supported", "INTEGER16"},
    {"mpi_real2_supported", "REAL2"},
    {"mpi_real4_supported", "REAL4"},
    {"mpi_real8_supported", "REAL8"},
    {"mpi_real16_supported", "REAL16"},
    {"mpi_complex4_supported", "COMPLEX4"},
    {"mpi_complex8_supported", "COMPLEX8"},
    {"mpi_complex16_supported", "COMPLEX16"},
    {"mpi_complex32_supported", "COMPLEX32"},
    {"mpi_double_complex_supported", "DOUBLE_COMPLEX"},
};

}  // namespace

#ifdef ODONATA_ABI_STANDARD
inline constexpr int abi_major = MPI_ABI_VERSION, abi_minor = MPI_ABI_SUBVERSION;
#else
inline constexpr int abi_major = -1, abi_minor = -1;  // this is not the standard's
#endif

ODONATA_MPI(int, Abi_get_version, (int* major, int* minor)) {
  if (major == nullptr || minor == nullptr) return MPI_ERR_ARG;
  *major = abi_major;
  *minor = abi_minor;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Abi_get_info, (MPI_Info * info)) {
  return call(Function::Abi_get_info, [&] {
    auto sizes = std::make_shared<Info>();
    sizes->entries = {{"mpi_aint_size", std::to_string(sizeof(MPI_Aint))},
                      {"mpi_count_size", std::to_string(sizeof(MPI_Count))},
                      {"mpi_offset_size", std::to_string(sizeof(MPI_Offset))}};
    out(info) = handles().infos.add(std::move(sizes));
  });
}

// Fortran compilers have these sizes on all supported systems.
ODONATA_MPI(int, Abi_get_fortran_info, (MPI_Info * info)) {
  return call(Function::Abi_get_fortran_info, [&] {
    auto types = std::make_shared<Info>();
    types->entries = {
        {"mpi_logical_size", std::to_string(size_of(NamedType::T_LOGICAL))},
        {"mpi_integer_size", std::to_string(size_of(NamedType::T_INTEGER))},
        {"mpi_real_size", std::to_string(size_of(NamedType::T_REAL))},
        {"mpi_double_precision_size", std::to_string(size_of(NamedType::T_DOUBLE_PRECISION))}};
    for (const FortranType& type : fortran_types) {
      const bool there = std::ranges::find(declared, type.name) != std::end(declared);
      types->entries.emplace_back(type.key, there ? "true" : "false");
    }
    out(info) = handles().infos.add(std::move(types));
  });
}

// A machine file does not describe cores and memories.
ODONATA_MPI(int, Get_hw_resource_info, (MPI_Info * info)) {
  return call(Function::Get_hw_resource_info,
              [&] { out(info) = handles().infos.add(std::make_shared<Info>()); });
}

// The machine has no accelerators. Other MPIs name these functions MPIX_Query_cuda_support etc.
ODONATA_MPI(int, Query_cuda_support, (void)) { return 0; }
ODONATA_MPI(int, Query_hip_support, (void)) { return 0; }
ODONATA_MPI(int, Query_ze_support, (void)) { return 0; }
ODONATA_MPI(int, GPU_query_support, (int, int* supported)) {
  if (supported == nullptr) return MPI_ERR_ARG;
  *supported = 0;
  return MPI_SUCCESS;
}

}  // namespace odonata::libmpi::api
