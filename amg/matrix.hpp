#pragma once

#include <HYPRE_IJ_mv.h>
#include <mpi.h>

#include <string>

namespace odonata::amg {

// A matrix from a file, its rows in equal blocks over the ranks; rows of one point (as many as
// there are functions) stay together. Rank 0 reads and sends entries to their ranks in pieces, so
// that no rank holds more than its own part, and rank 0 a few KiB for each other rank. Entries of
// the same place are added. Throws UsageError on all ranks.
HYPRE_IJMatrix read_matrix(const std::string& path, int functions, MPI_Comm comm);

}  // namespace odonata::amg
