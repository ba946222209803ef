#include "solve.hpp"

#include <HYPRE_krylov.h>

namespace odonata::amg {
namespace {

struct Pcg {
  static constexpr auto create = HYPRE_ParCSRPCGCreate;
  static constexpr auto destroy = HYPRE_ParCSRPCGDestroy;
  static constexpr auto set_tolerance = HYPRE_PCGSetTol;
  static constexpr auto set_most = HYPRE_PCGSetMaxIter;
  static constexpr auto set_preconditioner = HYPRE_PCGSetPrecond;
  static constexpr auto setup = HYPRE_ParCSRPCGSetup;
  static constexpr auto solve = HYPRE_ParCSRPCGSolve;
  static constexpr auto iterations = HYPRE_PCGGetNumIterations;
  static constexpr auto residual = HYPRE_PCGGetFinalRelativeResidualNorm;
};

struct Gmres {
  static constexpr auto create = HYPRE_ParCSRGMRESCreate;
  static constexpr auto destroy = HYPRE_ParCSRGMRESDestroy;
  static constexpr auto set_tolerance = HYPRE_GMRESSetTol;
  static constexpr auto set_most = HYPRE_GMRESSetMaxIter;
  static constexpr auto set_preconditioner = HYPRE_GMRESSetPrecond;
  static constexpr auto setup = HYPRE_ParCSRGMRESSetup;
  static constexpr auto solve = HYPRE_ParCSRGMRESSolve;
  static constexpr auto iterations = HYPRE_GMRESGetNumIterations;
  static constexpr auto residual = HYPRE_GMRESGetFinalRelativeResidualNorm;
};

bool is_pcg(const Options& options) { return Solver(options.solver.code) == Solver::pcg; }

// Of hypre, as the second of a pair: forward going down, backward going up.
int going_up(int relaxation) {
  return relaxation == 3 || relaxation == 13 ? relaxation + 1 : relaxation;
}

HYPRE_PtrToSolverFcn as_hypre_has_it(HYPRE_PtrToParSolverFcn function) {
  return reinterpret_cast<HYPRE_PtrToSolverFcn>(function);
}

}  // namespace

KrylovSolver::KrylovSolver(const Options& options, MPI_Comm comm) : options_(options), comm_(comm) {
  if (Preconditioner(options.preconditioner.code) == Preconditioner::amg) make_boomeramg();
  if (Solver(options.solver.code) == Solver::none) return;
  if (is_pcg(options)) {
    make(Pcg());
    HYPRE_PCGSetTwoNorm(krylov_, 1);  // of the residual itself, not as the preconditioner sees it
  } else {
    make(Gmres());
    HYPRE_GMRESSetKDim(krylov_, options.restart);
  }
}

KrylovSolver::~KrylovSolver() {
  if (krylov_) is_pcg(options_) ? Pcg::destroy(krylov_) : Gmres::destroy(krylov_);
  if (amg_) HYPRE_BoomerAMGDestroy(amg_);
}

Solution KrylovSolver::run(System& system) {
  if (!krylov_) return set_up(system);
  return is_pcg(options_) ? run(Pcg(), system) : run(Gmres(), system);
}

void KrylovSolver::make_boomeramg() {
  HYPRE_BoomerAMGCreate(&amg_);
  HYPRE_BoomerAMGSetCoarsenType(amg_, options_.coarsening.code);
  HYPRE_BoomerAMGSetInterpType(amg_, options_.interpolation.code);
  HYPRE_BoomerAMGSetPMaxElmts(amg_, options_.max_elements);
  HYPRE_BoomerAMGSetAggNumLevels(amg_, options_.aggressive_levels);
  HYPRE_BoomerAMGSetAggInterpType(amg_, options_.aggressive_interpolation.code);
  HYPRE_BoomerAMGSetNumFunctions(amg_, options_.functions);
  HYPRE_BoomerAMGSetStrongThreshold(amg_, options_.strong_threshold);
  HYPRE_BoomerAMGSetMaxRowSum(amg_, options_.max_row_sum);
  HYPRE_BoomerAMGSetMaxCoarseSize(amg_, options_.coarse_rows);
  HYPRE_BoomerAMGSetNumSweeps(amg_, 1);
  HYPRE_BoomerAMGSetCycleRelaxType(amg_, options_.relaxation.code, 1);
  HYPRE_BoomerAMGSetCycleRelaxType(amg_, going_up(options_.relaxation.code), 2);
  HYPRE_BoomerAMGSetCycleRelaxType(amg_, 9, 3);  // Gaussian elimination on the coarsest
  HYPRE_BoomerAMGSetRelaxOrder(amg_, 0);
  HYPRE_BoomerAMGSetRelaxWt(amg_, options_.relaxation_weight);
  HYPRE_BoomerAMGSetTol(amg_, 0.0);
  HYPRE_BoomerAMGSetMaxIter(amg_, 1);
}

template <class Functions>
void KrylovSolver::make(const Functions& functions) {
  functions.create(comm_, &krylov_);
  functions.set_tolerance(krylov_, options_.tolerance);
  functions.set_most(krylov_, options_.max_iterations);
  if (amg_)
    functions.set_preconditioner(krylov_, as_hypre_has_it(HYPRE_BoomerAMGSolve),
                                 as_hypre_has_it(HYPRE_BoomerAMGSetup), amg_);
  else
    functions.set_preconditioner(krylov_, as_hypre_has_it(HYPRE_ParCSRDiagScale),
                                 as_hypre_has_it(HYPRE_ParCSRDiagScaleSetup), nullptr);
}

Solution KrylovSolver::set_up(System& system) {
  Solution solution;
  solution.setup_seconds =
      slowest(comm_, [&] { HYPRE_BoomerAMGSetup(amg_, system.A, system.b, system.x); });
  return solution;
}

template <class Functions>
Solution KrylovSolver::run(const Functions& functions, System& system) {
  Solution solution;
  solution.solved = true;
  const auto setup = [&] { functions.setup(krylov_, system.A, system.b, system.x); };
  const auto solve = [&] { functions.solve(krylov_, system.A, system.b, system.x); };
  solution.setup_seconds = slowest(comm_, setup);
  solution.solve_seconds = slowest(comm_, solve);
  functions.iterations(krylov_, &solution.iterations);
  functions.residual(krylov_, &solution.residual);
  solution.converged = solution.residual <= options_.tolerance;
  HYPRE_ClearAllErrors();  // that it didn't converge
  return solution;
}

}  // namespace odonata::amg
