#include "preload/libprofile/real.hpp"

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

#ifdef OPEN_MPI
#define ODONATA_OBJECT(Type, function, constant, symbol)                                           \
  Type function() {                                                                                \
    static const auto found = static_cast<Type>(find_symbol(RTLD_DEFAULT, symbol));                \
    return found;                                                                                  \
  }
#else
#define ODONATA_OBJECT(Type, function, constant, symbol)                                           \
  Type function() { return constant; }
#endif

ODONATA_OBJECT(MPI_Comm, comm_world, MPI_COMM_WORLD, "ompi_mpi_comm_world")
ODONATA_OBJECT(MPI_Comm, comm_self, MPI_COMM_SELF, "ompi_mpi_comm_self")
ODONATA_OBJECT(MPI_Comm, comm_null, MPI_COMM_NULL, "ompi_mpi_comm_null")
ODONATA_OBJECT(MPI_Datatype, type_null, MPI_DATATYPE_NULL, "ompi_mpi_datatype_null")
ODONATA_OBJECT(MPI_Datatype, type_byte, MPI_BYTE, "ompi_mpi_byte")

}  // namespace odonata::libprofile
