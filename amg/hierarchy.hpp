#pragma once

#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <vector>

namespace odonata::amg {

// One level: of the solve operator A, and of the interpolation P to it from the next coarser level.
// Largest and mean are over all ranks; elements are values of 8 bytes.
struct LevelStatistics {
  double rows = 0, nonzeros = 0, interp_nonzeros = 0, active_ranks = 0, max_rows = 0;
  double max_sends = 0, max_elements_sent = 0, mean_sends = 0, mean_elements_sent = 0;
  double interp_max_sends = 0, interp_max_elements_sent = 0;
  double interp_max_receives = 0, interp_max_elements_received = 0;
};

// All levels, the finest first, on rank 0; elsewhere nothing of use. Two reductions in all.
std::vector<LevelStatistics> hierarchy_statistics(HYPRE_Solver boomeramg, MPI_Comm comm);

}  // namespace odonata::amg
