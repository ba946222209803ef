// The constants of MPI that a Fortran program passes by address: they are its common blocks.
#pragma once

#include ODONATA_ABI_HEADER

#define ODONATA_COMMON(name) extern "C" __attribute__((visibility("default"))) int name

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
#ifdef ODONATA_ABI_OPENMPI
ODONATA_COMMON(mpi_fortran_bottom_);
ODONATA_COMMON(mpi_fortran_in_place_);
ODONATA_COMMON(mpi_fortran_status_ignore_)[6];
ODONATA_COMMON(mpi_fortran_statuses_ignore_)[6];
ODONATA_COMMON(mpi_fortran_unweighted_);
ODONATA_COMMON(mpi_fortran_weights_empty_);
#else
ODONATA_COMMON(mpipriv1_)[7];  // MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
ODONATA_COMMON(mpipriv2_)[6];  // MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
ODONATA_COMMON(mpifcmb5_);     // MPI_UNWEIGHTED
ODONATA_COMMON(mpifcmb9_);     // MPI_WEIGHTS_EMPTY
ODONATA_COMMON(mpifcmba_);     // MPI_BUFFER_AUTOMATIC
#endif
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

namespace odonata::libmpi::fortran {

#ifdef ODONATA_ABI_OPENMPI
inline int* bottom() { return &mpi_fortran_bottom_; }
inline int* in_place() { return &mpi_fortran_in_place_; }
inline int* status_ignore() { return mpi_fortran_status_ignore_; }
inline int* statuses_ignore() { return mpi_fortran_statuses_ignore_; }
inline int* unweighted() { return &mpi_fortran_unweighted_; }
inline int* weights_empty() { return &mpi_fortran_weights_empty_; }
#else
inline int* bottom() { return &mpipriv1_[0]; }
inline int* in_place() { return &mpipriv1_[1]; }
inline int* status_ignore() { return &mpipriv1_[2]; }
inline int* statuses_ignore() { return &mpipriv2_[0]; }
inline int* unweighted() { return &mpifcmb5_; }
inline int* weights_empty() { return &mpifcmb9_; }
inline int* buffer_automatic() { return &mpifcmba_; }
#endif

// The same constants in C.

inline void* buffer(void* place) {
  if (place == in_place()) return MPI_IN_PLACE;
#ifdef MPI_BUFFER_AUTOMATIC
  if (place == buffer_automatic()) return MPI_BUFFER_AUTOMATIC;
#endif
  return place == bottom() ? MPI_BOTTOM : place;
}

inline MPI_Status* statuses(void* place) {
  if (place == status_ignore()) return MPI_STATUS_IGNORE;
  if (place == statuses_ignore()) return MPI_STATUSES_IGNORE;
  return static_cast<MPI_Status*>(place);
}

inline int* integers(void* place) {
  if (place == unweighted()) return MPI_UNWEIGHTED;
  return place == weights_empty() ? MPI_WEIGHTS_EMPTY : static_cast<int*>(place);
}

}  // namespace odonata::libmpi::fortran
