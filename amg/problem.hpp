#pragma once

#include "options.hpp"

#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

namespace odonata::amg {

// The number of ranks along x, y and z: as given, or so that all points together are near to a
// cube. Throws UsageError if it doesn't fit the ranks, or hypre can't count the rows.
Triple grid_of_ranks(const Options& options, int ranks);

// A linear system A x = b: b is 1, or the load of a beam; x starts from 0. A matrix from a file
// that is not one is a UsageError on all ranks.
class System {
 public:
  System(const Options& options, const Triple& ranks_grid, MPI_Comm comm);
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  HYPRE_ParCSRMatrix A;
  HYPRE_ParVector b, x;

 private:
  void write(const std::string& name) const;

  HYPRE_IJMatrix assembled_ = nullptr;  // owns A, unless hypre has generated it
  HYPRE_IJVector load_ = nullptr;       // owns b, likewise
};

}  // namespace odonata::amg
