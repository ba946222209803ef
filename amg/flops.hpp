#pragma once

#include <_hypre_parcsr_ls.h>
#include <mpi.h>

#include <utility>
#include <vector>

namespace odonata::amg {

// Tells a simulated machine how long flops take there. A real machine is told nothing.
class FlopClock {
 public:
  // Seconds of a flop on level 0, 1, ...; the last holds beyond. With none, the clock runs by
  // itself.
  explicit FlopClock(std::vector<double> seconds) : seconds_(std::move(seconds)) {}

  bool runs() const { return !seconds_.empty(); }
  double seconds(int level) const;  // [s] a flop
  void advance(int level, double flops) const;

 private:
  std::vector<double> seconds_;
};

// A multiplication and an addition for each nonzero of this rank's rows.
double flops_of_product(hypre_ParCSRMatrix* matrix);

// How often a relaxation passes the rows: a symmetric one goes forward and backward at once.
int passes_of(HYPRE_Int relaxation);

// The direct solve of so many rows, which every rank that has some of them does for itself.
double flops_of_elimination(double rows);

// True under `odonata mpirun`.
bool is_simulated();

// Seconds of a flop on each level, in products with the rows and columns of a rank: the largest
// over ranks.
std::vector<double> measured_flop_seconds(HYPRE_Solver boomeramg, MPI_Comm comm);

}  // namespace odonata::amg
