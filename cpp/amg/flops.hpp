#pragma once

#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <utility>
#include <vector>

namespace odonata::amg {

// Says to a simulated machine how long flops take there; to none, nothing.
class FlopClock {
 public:
  // Of level 0, 1, ...; the last holds beyond. Without any, flops take the time that they take.
  explicit FlopClock(std::vector<double> seconds) : seconds_(std::move(seconds)) {}

  bool runs() const { return !seconds_.empty(); }
  double seconds(int level) const;  // of a flop
  void advance(int level, double flops) const;

 private:
  std::vector<double> seconds_;
};

// Whether MPI is that of `odonata mpirun`.
bool is_simulated();

// Of each level: seconds of a flop in products with the rows and columns of a rank, the largest
// over ranks.
std::vector<double> measured_flop_seconds(HYPRE_Solver boomeramg, MPI_Comm comm);

}  // namespace odonata::amg
