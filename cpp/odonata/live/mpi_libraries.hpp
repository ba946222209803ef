// Names by which programs are linked to an MPI, and the library that replaces each. Also for the
// audit library, so nothing of C++'s own library is in it.
#pragma once

namespace odonata::live {

/// Place of a library of an MPI that a program needs.
enum class Role {
  c,        // ours takes its place
  fortran,  // ours for Fortran takes its place
  modules,  // it stays, for the code of Fortran's modules; ours for Fortran comes before it
  stays,    // it stands upon the functions of C and of Fortran, as bindings for C++ do
  refused,  // of an MPI that ours cannot replace
};

/// A row of abis.inc.
struct AbiAbout {
  const char* name;
  const char* title;
  const char* library;
  const char* fortran;
  const char* header;
  const char* installation;
};

inline constexpr AbiAbout abis[] = {
#define ODONATA_ABI(name, ...) {#name, __VA_ARGS__},
#include "odonata/live/abis.inc"
};

struct MpiLibrary {
  const char* name;  // * stands for any characters; ".3.1", say, may come after it
  const char* abi;
  Role role;
  const char* of;  // the MPI
};

// The first name that fits counts.
inline constexpr MpiLibrary mpi_libraries[] = {
    // maint/version.m4 and Makefile.am of MPICH; Fedora's mpich.spec; conda-forge's
    // mpich-feedstock;
    // the wheels mpich 5.0.2 and impi-rt 2021.19; names that Intel MPI 5 to 2018 kept of older ones
    {"libmpi.so.12", "mpich", Role::c, "MPICH, Intel MPI, MVAPICH, ParaStation MPI"},
    {"libpmpi.so.12", "mpich", Role::c, "MPICH without weak symbols"},
    {"libmpi_mt.so.12", "mpich", Role::c, "Intel MPI"},
    {"libmpi_dbg.so.12", "mpich", Role::c, "Intel MPI"},
    {"libmpi_dbg_mt.so.12", "mpich", Role::c, "Intel MPI"},
    {"libmpifort.so.12", "mpich", Role::fortran, "MPICH, Intel MPI, MVAPICH, ParaStation MPI"},
    {"libmpicxx.so.12", "mpich", Role::stays, "MPICH, Intel MPI, MVAPICH, ParaStation MPI"},
    {"libmpijava.so.1", "mpich", Role::stays, "Intel MPI"},
    // packages of Debian
    {"libmpich.so.12", "mpich", Role::c, "MPICH of Debian, MVAPICH2 2.0"},
    {"libmpichfort.so.12", "mpich", Role::modules, "MPICH of Debian"},
    {"libmpichcxx.so.12", "mpich", Role::stays, "MPICH of Debian, MVAPICH2 2.0"},
    // release candidates of MVAPICH2 2.0, as sites have them
    {"libmpichf90.so.12", "mpich", Role::modules, "MVAPICH2 2.0"},
    {"libfmpich.so.12", "mpich", Role::fortran, "MVAPICH2 2.0"},
    // by compiler: as ldd prints it in guides of NREL, CSCS, ARCHER2, LUMI and ALCF; the hooks of
    // Sarus (Cray's libmpi.so.12 has the soname libmpich_gnu_71.so.3)
    {"libmpi_cray*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpi_gnu*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpi_intel*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpi_nvidia*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpi_pgi*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpi_amd*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpi_aocc*.so.12", "mpich", Role::c, "Cray MPICH"},
    {"libmpifort_*.so.12", "mpich", Role::fortran, "Cray MPICH"},
    {"libmpicxx_*.so.12", "mpich", Role::stays, "Cray MPICH"},
    {"libmpich_*.so.3", "mpich", Role::c, "Cray MPT 7"},
    {"libfmpich_*.so.3", "mpich", Role::fortran, "Cray MPT 7"},
    {"libmpichf90_*.so.3", "mpich", Role::fortran, "Cray MPT 7"},
    {"libmpichcxx_*.so.3", "mpich", Role::stays, "Cray MPT 7"},
    // VERSION of Open MPI 3 to 5; Fedora, Spack, conda, HPC-X have the same; libopenmpi3 of Debian,
    // which has a name for each compiler, too
    {"libmpi.so.40", "openmpi", Role::c, "Open MPI"},
    {"libmpi_mpifh.so.40", "openmpi", Role::fortran, "Open MPI"},
    {"libmpi_mpifh-*.so.40", "openmpi", Role::modules, "Open MPI of Debian"},
    {"libmpi_usempi.so.40", "openmpi", Role::stays, "Open MPI"},
    {"libmpi_usempi_ignore_tkr*.so.40", "openmpi", Role::stays, "Open MPI"},
    {"libmpi_usempif08*.so.40", "openmpi", Role::stays, "Open MPI"},
    {"libmpi_cxx.so.40", "openmpi", Role::stays, "Open MPI"},
    {"libmpi_java.so.40", "openmpi", Role::stays, "Open MPI"},
    // the standard ABI; by a mistake of its build MPICH 5.0.0 and 5.0.1 have 0 (pull request 7867)
    {"libmpi_abi.so.1", "standard", Role::c, "an MPI with the standard ABI"},
    {"libpmpi_abi.so.1", "standard", Role::c, "MPICH without weak symbols"},
    {"libmpi_abi.so.0", "standard", Role::c, "MPICH 5.0.0 or 5.0.1"},
    {"libpmpi_abi.so.0", "standard", Role::c, "MPICH 5.0.0 or 5.0.1"},

    // without a replacement
    {"libmpifort_abi", "", Role::refused, "Fortran of the standard ABI"},
    {"libmpi_abi", "", Role::refused, "a draft of the standard ABI, as MPICH 4.3 has it"},
    {"libmpi_ilp64", "", Role::refused, "Intel MPI with integers of 8 bytes (link without -ilp64)"},
    {"libmpi_ibm*", "", Role::refused, "IBM Spectrum MPI"},
    {"libmpiprofilesupport", "", Role::refused, "IBM Spectrum MPI"},
    {"libmpitrampoline", "", Role::refused, "MPItrampoline"},
    {"libmpi.so.0", "", Role::refused,
     "Open MPI up to 1.4, Fujitsu MPI, or an MPI under development"},
    {"libmpi.so.1", "", Role::refused, "Open MPI 1.5 to 1.8, or Platform MPI"},
    {"libmpi.so.4", "", Role::refused, "Intel MPI up to 4"},
    {"libmpi.so.20", "", Role::refused, "Open MPI 2"},
    {"libmpi_mpifh*", "", Role::refused, "another version of Open MPI"},
    {"libmpi_usempi*", "", Role::refused, "another version of Open MPI"},
    {"libmpi_cxx", "", Role::refused, "another version of Open MPI"},
    {"libmpi_f77", "", Role::refused, "Open MPI up to 1.6"},
    {"libmpi_f90", "", Role::refused, "Open MPI up to 1.6"},
    {"libmpigf", "", Role::refused, "Intel MPI up to 4"},
    {"libmpigc4", "", Role::refused, "Intel MPI up to 4"},
    {"libmpi_mt", "", Role::refused, "HPE MPT, or Intel MPI up to 4"},
    {"libmpi++", "", Role::refused, "HPE MPT, or Open MPI up to 1.2"},
    {"libmpich_*", "", Role::refused, "Cray MPT up to 6"},
    {"libmpichf90_*", "", Role::refused, "Cray MPT up to 6"},
    {"libmpichcxx_*", "", Role::refused, "Cray MPT up to 6"},
    {"libmpich", "", Role::refused, "MPICH up to 3.0"},
    {"libfmpich", "", Role::refused, "MPICH up to 3.0"},
    {"libmpichf90", "", Role::refused, "MPICH up to 3.0"},
    {"libmpichcxx", "", Role::refused, "MPICH up to 3.0"},
    {"libmpichfort", "", Role::refused, "another version of MPICH"},
    {"libmpifort", "", Role::refused, "another version of MPICH"},
    {"libmpicxx", "", Role::refused, "another version of MPICH"},
    {"libmpifort_*", "", Role::refused, "another version of Cray MPICH"},
    {"libmpicxx_*", "", Role::refused, "another version of Cray MPICH"},
    {"libmpi_cray*", "", Role::refused, "another version of Cray MPICH"},
    {"libmpi_gnu*", "", Role::refused, "another version of Cray MPICH"},
    {"libmpi_intel*", "", Role::refused, "another version of Cray MPICH"},
    {"libmpi", "", Role::refused, "HPE MPT, or another MPI"},
};

/// Does the name of a file fit a name of the table?
constexpr bool fits(const char* file, const char* name) {
  for (; *name != '\0'; ++file, ++name) {
    if (*name == '*') {
      for (; *file != '\0'; ++file)
        if (fits(file, name + 1)) return true;
      return false;
    }
    if (*file != *name) return false;
  }
  return *file == '\0' || *file == '.';
}

/// The entry of a library of this file name; null if it belongs to no MPI that is known.
constexpr const MpiLibrary* mpi_library(const char* file) {
  for (const MpiLibrary& library : mpi_libraries)
    if (fits(file, library.name)) return &library;
  return nullptr;
}

}  // namespace odonata::live
