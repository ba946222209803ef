// The dynamic linker asks this library (rtld-audit(7)) when it looks for another one. For an MPI
// library the answer is ours of the same ABI, wherever the program, a wrapper around it or dlopen()
// would have found theirs. Ours is loaded in the place of the program's own, so that libraries
// before it, such as profilers, stay before it.
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "odonata/live/mpi_libraries.hpp"

namespace {

using odonata::live::MpiLibrary;
using odonata::live::Role;

struct Substitute {
  const char* abi;
  Role role;
  const char* library;  // ours, below the folder
};

constexpr Substitute substitutes[] = {
    {"mpich", Role::c, "mpich/libmpi.so.12"},
    {"mpich", Role::fortran, "mpich/libmpifort.so.12"},
    {"openmpi", Role::c, "openmpi/libmpi.so.40"},
    {"openmpi", Role::fortran, "openmpi/libmpi_mpifh.so.40"},
    {"standard", Role::c, "standard/libmpi_abi.so.1"},
};
constexpr int count = sizeof substitutes / sizeof substitutes[0];

// The linker calls functions that share nothing else.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
const char* folder = nullptr;  // of our libraries
char paths[count][PATH_MAX];  // the linker keeps what it is given
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

const char* file_of(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// Null if the file is no MPI library that ours replaces, or this installation has none of its ABI.
const char* substitute_of(const char* file) {
  const MpiLibrary* known = odonata::live::mpi_library(file);
  if (known == nullptr) return nullptr;
  for (int i = 0; i < count; ++i)
    if (known->role == substitutes[i].role && std::strcmp(known->abi, substitutes[i].abi) == 0)
      return paths[i][0] == '\0' ? nullptr : paths[i];
  return nullptr;
}

// The file behind a name without an ABI, such as libmpi.so.
const char* resolved(const char* path, char* place) {
  const char* file = file_of(path);
  const bool unnumbered = std::strncmp(file, "libmpi", 6) == 0 && file != path;
  return unnumbered ? realpath(path, place) : nullptr;
}

}  // namespace

#define ODONATA_EXPORT extern "C" __attribute__((visibility("default")))

ODONATA_EXPORT unsigned la_version(unsigned) {
  folder = std::getenv("ODONATA_LIBRARIES");
  if (folder == nullptr) return 0;  // not a rank: we are not needed
  for (int i = 0; i < count; ++i) {
    const int length =
        std::snprintf(paths[i], sizeof paths[i], "%s/%s", folder, substitutes[i].library);
    if (length >= PATH_MAX || access(paths[i], R_OK) != 0) paths[i][0] = '\0';
  }
  return LAV_CURRENT;
}

ODONATA_EXPORT char* la_objsearch(const char* name, std::uintptr_t*, unsigned) {
  char place[PATH_MAX];
  const char* found = substitute_of(file_of(name));
  if (found == nullptr)
    if (const char* real = resolved(name, place)) found = substitute_of(file_of(real));
  return const_cast<char*>(found == nullptr ? name : found);
}
