#include "solve.hpp"

#include "amg/redistribute/odonata_amg.h"
#include "machines.hpp"

#include <HYPRE_krylov.h>

#include <algorithm>
#include <cstdio>
#include <span>

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

// The relaxation after interpolation that makes the cycle symmetric: backward for forward.
int mirrored(int relaxation) {
  switch (relaxation) {
    case hypre::forward_gauss_seidel: return hypre::backward_gauss_seidel;
    case hypre::l1_forward_gauss_seidel: return hypre::l1_backward_gauss_seidel;
    default: return relaxation;
  }
}

// A forced switch is explained by a model too, if there is one.
bool has_model(const RedistributeOptions& wanted) {
  return !wanted.machine.empty() || (wanted.alpha && wanted.beta);
}

// Says in `why` why the model cannot be read.
void read_model(const std::string& machine, odonata_amg_model& model, std::span<char> why) {
  try {
    const std::string file = machine_file(machine);
    odonata_amg_read_machine(file.c_str(), &model, why.data(), int(why.size()));
  } catch (const UsageError& error) {
    std::snprintf(why.data(), why.size(), "%s", error.what());
  }
}

// Rank 0 reads the machine file; the model is plain bytes.
odonata_amg_model model_of(const RedistributeOptions& wanted, MPI_Comm comm) {
  odonata_amg_model model;
  odonata_amg_model_defaults(&model);
  const auto take_given = [&] {
    model.alpha = wanted.alpha.value_or(model.alpha);
    model.beta = wanted.beta.value_or(model.beta);
    model.gamma = wanted.gamma.value_or(model.gamma);
    model.hops = wanted.hops.value_or(model.hops);
  };
  take_given();  // the file needn't have it
  if (!wanted.machine.empty()) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    char why[512] = "";
    if (rank == 0) read_model(wanted.machine, model, why);
    MPI_Bcast(why, sizeof why, MPI_CHAR, 0, comm);
    if (why[0] != '\0') throw UsageError(std::string("--machine: ") + why);
    MPI_Bcast(&model, sizeof model, MPI_BYTE, 0, comm);
  }
  model.ranks_per_node = wanted.ranks_per_node;
  take_given();  // and doesn't overrule it
  if (wanted.cache) model.cache_bytes = *wanted.cache * wanted.ranks_per_node;
  model.links = wanted.links;
  model.peak_bandwidth = wanted.peak_bandwidth;
  model.penalties = wanted.scenario.code;
  model.least_gain = wanted.least_gain;
  model.every_number = wanted.candidates.code;
  if (wanted.measured_flops) model.num_flop_seconds = 0;
  if (!wanted.flop_seconds.empty()) {
    model.num_flop_seconds =
        int(std::min<std::size_t>(wanted.flop_seconds.size(), ODONATA_AMG_MOST_FLOPS));
    std::copy_n(wanted.flop_seconds.begin(), model.num_flop_seconds, model.flop_seconds);
  }
  return model;
}

// The preconditioner with the flops of the Krylov method: a product with A, and for each row some
// multiplications and additions of vectors.
HYPRE_Int precondition_and_count(HYPRE_Solver solver, HYPRE_ParCSRMatrix A, HYPRE_ParVector b,
                                 HYPRE_ParVector x) {
  return reinterpret_cast<const KrylovSolver*>(solver)->precondition(A, b, x);
}

HYPRE_Int set_up_preconditioner(HYPRE_Solver solver, HYPRE_ParCSRMatrix A, HYPRE_ParVector b,
                                HYPRE_ParVector x) {
  return odonata_amg_setup(reinterpret_cast<const KrylovSolver*>(solver)->redistributed(), A, b, x);
}

HYPRE_PtrToSolverFcn as_hypre_has_it(HYPRE_PtrToParSolverFcn function) {
  return reinterpret_cast<HYPRE_PtrToSolverFcn>(function);
}

}  // namespace

KrylovSolver::KrylovSolver(const Options& options, MPI_Comm comm)
    : options_(options), comm_(comm), pcontrol_(options.phases, FlopClock(options.flop_seconds)) {
  if (Preconditioner(options.preconditioner.code) == Preconditioner::amg) make_boomeramg();
  if (options.redistribute.is_on()) make_redistributed();
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
  if (redistributed_)
    odonata_amg_destroy(redistributed_);
  else if (amg_)
    HYPRE_BoomerAMGDestroy(amg_);
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
  HYPRE_BoomerAMGSetCycleRelaxType(amg_, options_.relaxation.code, hypre::going_down);
  HYPRE_BoomerAMGSetCycleRelaxType(amg_, mirrored(options_.relaxation.code), hypre::going_up);
  HYPRE_BoomerAMGSetCycleRelaxType(amg_, hypre::gaussian_elimination, hypre::on_coarsest);
  HYPRE_BoomerAMGSetRelaxOrder(amg_, options_.relaxation_order.code);
  HYPRE_BoomerAMGSetRelaxWt(amg_, options_.relaxation_weight);
  HYPRE_BoomerAMGSetTol(amg_, 0.0);
  HYPRE_BoomerAMGSetMaxIter(amg_, 1);
}

void KrylovSolver::make_redistributed() {
  odonata_amg_create(amg_, &redistributed_);
  odonata_amg_set_phases(redistributed_, options_.phases);
  const auto& flops = options_.flop_seconds;
  odonata_amg_set_flop_seconds(redistributed_, int(flops.size()), flops.data());
  check_redistributed();
  const RedistributeOptions& wanted = options_.redistribute;
  if (wanted.mode == Redistribute::forced)
    odonata_amg_set_forced(redistributed_, wanted.level, wanted.groups);
  if (wanted.mode == Redistribute::never) {
    odonata_amg_set_never(redistributed_);
  } else if (has_model(wanted)) {
    const odonata_amg_model model = model_of(wanted, comm_);
    odonata_amg_set_model(redistributed_, &model);
  }
  check_redistributed();
}

// All ranks find the same error.
void KrylovSolver::check_redistributed() const {
  if (!redistributed_) return;
  const std::string why = odonata_amg_error(redistributed_);
  if (!why.empty()) throw UsageError(why);
}

template <class Functions>
void KrylovSolver::make(const Functions& functions) {
  functions.create(comm_, &krylov_);
  functions.set_tolerance(krylov_, options_.tolerance);
  functions.set_most(krylov_, options_.max_iterations);
  if (redistributed_)
    functions.set_preconditioner(krylov_, as_hypre_has_it(precondition_and_count),
                                 as_hypre_has_it(set_up_preconditioner),
                                 reinterpret_cast<HYPRE_Solver>(this));
  else if (amg_)
    functions.set_preconditioner(krylov_, as_hypre_has_it(HYPRE_BoomerAMGSolve),
                                 as_hypre_has_it(HYPRE_BoomerAMGSetup), amg_);
  else
    functions.set_preconditioner(krylov_, as_hypre_has_it(HYPRE_ParCSRDiagScale),
                                 as_hypre_has_it(HYPRE_ParCSRDiagScaleSetup), nullptr);
}

HYPRE_Int KrylovSolver::precondition(HYPRE_ParCSRMatrix A, HYPRE_ParVector b,
                                     HYPRE_ParVector x) const {
  // Conjugate gradients: three inner products and three sums of vectors.
  const int vectors = is_pcg(options_) ? 6 : options_.restart + 2;
  hypre_Vector* local = hypre_ParVectorLocalVector(b);
  pcontrol_.flops(0, flops_of_product(A) + 2.0 * vectors * hypre_VectorSize(local));
  return odonata_amg_solve(redistributed_, A, b, x);
}

Solution KrylovSolver::set_up(System& system) {
  Solution solution;
  pcontrol_.between_levels(Phase::setup);
  solution.setup_seconds = slowest(comm_, [&] {
    if (redistributed_)
      odonata_amg_setup(redistributed_, system.A, system.b, system.x);
    else
      HYPRE_BoomerAMGSetup(amg_, system.A, system.b, system.x);
  });
  pcontrol_.outside();
  check_redistributed();
  return solution;
}

template <class Functions>
Solution KrylovSolver::run(const Functions& functions, System& system) {
  Solution solution;
  solution.solved = true;
  const auto setup = [&] { functions.setup(krylov_, system.A, system.b, system.x); };
  const auto solve = [&] { functions.solve(krylov_, system.A, system.b, system.x); };
  pcontrol_.between_levels(Phase::setup);
  solution.setup_seconds = slowest(comm_, setup);
  check_redistributed();
  pcontrol_.between_levels(Phase::solve);
  solution.solve_seconds = slowest(comm_, solve);
  pcontrol_.outside();
  functions.iterations(krylov_, &solution.iterations);
  functions.residual(krylov_, &solution.residual);
  solution.converged = solution.residual <= options_.tolerance;
  HYPRE_ClearAllErrors();  // that it didn't converge
  return solution;
}

}  // namespace odonata::amg
