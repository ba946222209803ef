// What a program can ask about the ABI and the hardware.
#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

#ifdef ODONATA_ABI_STANDARD
inline constexpr int abi_major = MPI_ABI_VERSION, abi_minor = MPI_ABI_SUBVERSION;
#else
inline constexpr int abi_major = -1, abi_minor = -1;  // this is not the standard's
#endif

ODONATA_MPI(int, Abi_get_version, (int* major, int* minor)) {
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
    *info = handles().infos.add(std::move(sizes));
  });
}

// The sizes are those that compilers of Fortran have on all machines that we run on.
ODONATA_MPI(int, Abi_get_fortran_info, (MPI_Info * info)) {
  return call(Function::Abi_get_fortran_info, [&] {
    auto types = std::make_shared<Info>();
    types->entries = {
        {"mpi_logical_size", std::to_string(size_of(NamedType::T_LOGICAL))},
        {"mpi_integer_size", std::to_string(size_of(NamedType::T_INTEGER))},
        {"mpi_real_size", std::to_string(size_of(NamedType::T_REAL))},
        {"mpi_double_precision_size", std::to_string(size_of(NamedType::T_DOUBLE_PRECISION))}};
    for (const char* type :
         {"logical1", "logical2", "logical4", "logical8", "logical16", "integer1", "integer2",
          "integer4", "integer8", "integer16", "real2", "real4", "real8", "real16", "complex4",
          "complex8", "complex16", "complex32", "double_complex"})
      types->entries.emplace_back("mpi_" + std::string(type) + "_supported", "true");
    *info = handles().infos.add(std::move(types));
  });
}

// Nothing is known of the machine's cores and memories.
ODONATA_MPI(int, Get_hw_resource_info, (MPI_Info * info)) {
  return call(Function::Get_hw_resource_info,
              [&] { *info = handles().infos.add(std::make_shared<Info>()); });
}

// Nor of accelerators. MPIs have these as MPIX_Query_cuda_support and the like.
ODONATA_MPI(int, Query_cuda_support, (void)) { return 0; }
ODONATA_MPI(int, Query_hip_support, (void)) { return 0; }
ODONATA_MPI(int, Query_ze_support, (void)) { return 0; }
ODONATA_MPI(int, GPU_query_support, (int, int* supported)) {
  *supported = 0;
  return MPI_SUCCESS;
}

}  // namespace odonata::libmpi::api
