// Common blocks of MPI. The program's own replace them: it exports them because the library that it
// was linked with has them, too.
#include "preload/libmpi/fortran/sentinels.hpp"

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
#ifdef ODONATA_ABI_OPENMPI
int mpi_fortran_bottom_, mpi_fortran_in_place_;
int mpi_fortran_status_ignore_[6], mpi_fortran_statuses_ignore_[6];
int mpi_fortran_unweighted_, mpi_fortran_weights_empty_;
ODONATA_COMMON(mpi_fortran_errcodes_ignore_);
ODONATA_COMMON(mpi_fortran_argv_null_);
ODONATA_COMMON(mpi_fortran_argvs_null_);
int mpi_fortran_errcodes_ignore_, mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
#else
int mpipriv1_[7], mpipriv2_[6], mpifcmb5_, mpifcmb9_, mpifcmba_;
ODONATA_COMMON(mpiprivc_);
int mpiprivc_;
// Programs in C may refer to the constants of Fortran 2008; both statuses have the same layout.
extern "C" {
__attribute__((visibility("default"))) extern MPI_F08_status* MPI_F08_STATUS_IGNORE;
__attribute__((visibility("default"))) extern MPI_F08_status* MPI_F08_STATUSES_IGNORE;
}
MPI_F08_status* MPI_F08_STATUS_IGNORE = reinterpret_cast<MPI_F08_status*>(&mpipriv1_[2]);
MPI_F08_status* MPI_F08_STATUSES_IGNORE = reinterpret_cast<MPI_F08_status*>(&mpipriv2_[0]);
#endif
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
