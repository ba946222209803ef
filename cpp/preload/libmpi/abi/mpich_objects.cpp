// The data that MPICH's mpi.h declares, and the function behind its MPI_DUP_FN.
#define ODONATA_EXPORT extern "C" __attribute__((visibility("default")))

ODONATA_EXPORT int* const MPI_UNWEIGHTED;
ODONATA_EXPORT int* const MPI_WEIGHTS_EMPTY;
ODONATA_EXPORT int* MPI_F_STATUS_IGNORE;
ODONATA_EXPORT int* MPI_F_STATUSES_IGNORE;

namespace {
int unweighted, empty;
}

int* const MPI_UNWEIGHTED = &unweighted;
int* const MPI_WEIGHTS_EMPTY = &empty;
int* MPI_F_STATUS_IGNORE = nullptr;
int* MPI_F_STATUSES_IGNORE = nullptr;

// Pointers that MPICH's wrappers for Fortran 2008 pass to C. Its library for Fortran defines them
// as well, and the first definition counts, which may be either: so they are set when both are
// loaded.
ODONATA_EXPORT int* MPIR_C_MPI_UNWEIGHTED;
ODONATA_EXPORT int* MPIR_C_MPI_WEIGHTS_EMPTY;
int* MPIR_C_MPI_UNWEIGHTED = nullptr;
int* MPIR_C_MPI_WEIGHTS_EMPTY = nullptr;

namespace {

[[gnu::constructor]] void set_constants_of_fortran() {
  MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED;
  MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;
}

}  // namespace

ODONATA_EXPORT int MPIR_Dup_fn(int, int, void*, void* from, void* to, int* flag) {
  *static_cast<void**>(to) = from;
  *flag = 1;
  return 0;
}
