#pragma once

#include "options.hpp"
#include "problem.hpp"

#include "amg/redistribute/pcontrol.hpp"

#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

namespace odonata::amg {

// Seconds that the slowest rank needs for an action that all begin together.
template <class Action>
double slowest(MPI_Comm comm, const Action& action) {
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  action();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

struct Solution {
  double setup_seconds = 0, solve_seconds = 0;
  int iterations = 0;
  double residual = 0;  // relative
  bool solved = false, converged = false;
};

// A Krylov method of hypre's, with BoomerAMG or the diagonal as preconditioner; or the setup of
// BoomerAMG alone.
class KrylovSolver {
 public:
  KrylovSolver(const Options& options, MPI_Comm comm);
  ~KrylovSolver();
  KrylovSolver(const KrylovSolver&) = delete;
  KrylovSolver& operator=(const KrylovSolver&) = delete;

  Solution run(System& system);

  // Solves with the hierarchy as hypre's preconditioners do, after stating the flops of an
  // iteration of the Krylov method.
  HYPRE_Int precondition(HYPRE_ParCSRMatrix A, HYPRE_ParVector b, HYPRE_ParVector x) const;
  // Null with the diagonal, and where levels are redistributed.
  HYPRE_Solver boomeramg() const { return redistributed_ ? nullptr : amg_; }
  HYPRE_Solver redistributed() const { return redistributed_; }  // null where that is off

 private:
  void make_boomeramg();
  void make_redistributed();
  void check_redistributed() const;
  Solution set_up(System& system);
  template <class Functions>
  void make(const Functions& functions);
  template <class Functions>
  Solution run(const Functions& functions, System& system);

  const Options& options_;
  MPI_Comm comm_;
  Pcontrol pcontrol_;
  HYPRE_Solver amg_ = nullptr, redistributed_ = nullptr, krylov_ = nullptr;
};

}  // namespace odonata::amg
