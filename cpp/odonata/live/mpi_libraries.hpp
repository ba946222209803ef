// Names by which programs are linked to an MPI, and what takes the place of each library. Also
// for the audit library, so nothing of C++'s own library is in it.
#pragma once

namespace odonata::live {

/// Place of a library of an MPI that a program needs.
enum class Role {
  c,        // ours takes its place
  fortran,  // ours for Fortran takes its place
  modules,  // it stays, for the code of Fortran's modules; ours for Fortran comes before it
  stays,    // it stands upon the functions of C and of Fortran, as bindings for C++ do
};

struct MpiLibrary {
  const char* name;  // * stands for any characters; what may come after it is ".3.1", say
  const char* abi;
  Role role;
};

inline constexpr MpiLibrary mpi_libraries[] = {
    // MPICH, as Fedora, Spack, conda and Intel name it
    {"libmpi.so.12", "mpich", Role::c},
    {"libmpifort.so.12", "mpich", Role::fortran},
    {"libmpicxx.so.12", "mpich", Role::stays},
    // as Debian does
    {"libmpich.so.12", "mpich", Role::c},
    {"libmpichfort.so.12", "mpich", Role::modules},
    {"libmpichcxx.so.12", "mpich", Role::stays},
    // as Cray does, by compiler
    {"libmpi_cray*.so.12", "mpich", Role::c},
    {"libmpi_gnu*.so.12", "mpich", Role::c},
    {"libmpi_intel*.so.12", "mpich", Role::c},
    {"libmpi_nvidia*.so.12", "mpich", Role::c},
    {"libmpi_pgi*.so.12", "mpich", Role::c},
    {"libmpi_amd*.so.12", "mpich", Role::c},
    {"libmpi_aocc*.so.12", "mpich", Role::c},
    {"libmpifort_*.so.12", "mpich", Role::fortran},
    {"libmpicxx_*.so.12", "mpich", Role::stays},
    {"libmpich_*.so.3", "mpich", Role::c},
    {"libmpichf90_*.so.3", "mpich", Role::fortran},
    {"libmpichcxx_*.so.3", "mpich", Role::stays},
    // Open MPI
    {"libmpi.so.40", "openmpi", Role::c},
    {"libmpi_mpifh.so.40", "openmpi", Role::fortran},
    {"libmpi_usempi.so.40", "openmpi", Role::stays},
    {"libmpi_usempi_ignore_tkr.so.40", "openmpi", Role::stays},
    {"libmpi_usempif08.so.40", "openmpi", Role::stays},
    {"libmpi_cxx.so.40", "openmpi", Role::stays},
    // the standard ABI
    {"libmpi_abi.so.1", "standard", Role::c},
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

/// The entry of a library of this file name; null if it is none of an MPI.
constexpr const MpiLibrary* mpi_library(const char* file) {
  for (const MpiLibrary& library : mpi_libraries)
    if (fits(file, library.name)) return &library;
  return nullptr;
}

}  // namespace odonata::live
