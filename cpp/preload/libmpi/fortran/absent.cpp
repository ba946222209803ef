// A weak definition of every function of MPI; a definition in another file replaces it. The list is
// trace/functions.inc, with the names that the functions have in Fortran.
#include "preload/libmpi/fortran/sentinels.hpp"

#undef PMPI_Aint_add  // macros of Open MPI's mpi.h
#undef PMPI_Aint_diff

extern "C" int odonata_absent(const char* function);
extern "C" void odonata_end_in_absent(const char* function);

// A function that this mpi.h does not declare has this overload only.
namespace undeclared {
struct Nothing;
#define ODONATA_FORTRAN_ABSENT(name, Name) void PMPI_##Name(Nothing*);
#include "fortran_functions.inc"
#undef ODONATA_FORTRAN_ABSENT
}  // namespace undeclared
using namespace undeclared;

namespace {

constexpr int most_arguments = 14;

// Number of a function's arguments in C; -1 if it is not known. In Fortran the error code follows
// these arguments.
template <class... Args>
constexpr int count_arguments(int (*)(Args...), int) {
  return sizeof...(Args);
}
constexpr int count_arguments(void (*)(undeclared::Nothing*), long) { return -1; }

void call_absent(const char* function, int arguments, void* const* places) {
  if (arguments < 0 || arguments >= most_arguments) return odonata_end_in_absent(function);
  const int code = odonata_absent(function);
  auto* error = static_cast<MPI_Fint*>(places[arguments]);
  if (error != nullptr) *error = code;
}

}  // namespace

// More parameters than the function has do no harm: the surplus is never read. The count is a
// constant, since code that calls for it would want undeclared functions where it is not optimized.
#define ODONATA_ABSENT(name, Name, known)                                                          \
  extern "C" __attribute__((weak, visibility("default"))) void name(                               \
      void* a0, void* a1, void* a2, void* a3, void* a4, void* a5, void* a6, void* a7, void* a8,    \
      void* a9, void* a10, void* a11, void* a12, void* a13) {                                      \
    void* const places[most_arguments] = {a0, a1, a2, a3,  a4,  a5,  a6,                           \
                                          a7, a8, a9, a10, a11, a12, a13};                         \
    constexpr int arguments = known;                                                               \
    call_absent(Name, arguments, places);                                                          \
  }

#define ODONATA_FORTRAN_ABSENT(name, Name)                                                         \
  ODONATA_ABSENT(mpi_##name##_, "MPI_" #Name, count_arguments(PMPI_##Name, 0))                     \
  ODONATA_ABSENT(pmpi_##name##_, "MPI_" #Name, count_arguments(PMPI_##Name, 0))

#include "fortran_functions.inc"
