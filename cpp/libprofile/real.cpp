#include "libprofile/real.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace odonata::libprofile {

namespace {

// Interpreters open the library of MPI for their own module only, where RTLD_NEXT does not look.
void* find_opened(const char* name) {
  for (const char* library : {ODONATA_MPI_LIBRARIES}) {
    void* const opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (opened == nullptr) continue;
    if (void* const found = dlsym(opened, name); found != nullptr) return found;
  }
  return nullptr;
}

// `where`: RTLD_NEXT, or RTLD_DEFAULT for an object, which a program has a copy of.
void* find_symbol(void* where, const char* name) {
  void* found = dlsym(where, name);
  if (found == nullptr) found = find_opened(name);
  if (found != nullptr) return found;
  std::fprintf(stderr, "odonata profile: the program's MPI has no %s\n", name);
  std::abort();
}

}  // namespace

void* find_real(Function function) {
  const std::string name =
      "P" + std::string(trace::function_names()[static_cast<std::size_t>(function)]);
  return find_symbol(RTLD_NEXT, name.c_str());
}

MPI_Comm comm_world() {
#ifdef OPEN_MPI
  return static_cast<MPI_Comm>(find_symbol(RTLD_DEFAULT, "ompi_mpi_comm_world"));
#else
  return MPI_COMM_WORLD;
#endif
}

}  // namespace odonata::libprofile
