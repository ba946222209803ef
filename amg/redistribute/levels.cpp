#include "amg/redistribute/levels.hpp"

#include "amg/hypre_codes.hpp"
#include "amg/values.hpp"
#include "amg/vectors.hpp"

namespace odonata::amg {
namespace {

// hypre's own cycle stops after one level, or starts there, where it is told to.
enum class Part { whole, down, up };

void run(hypre_ParAMGData* amg, Part part) {
  hypre_ParAMGDataPartialCycleCoarsestLevel(amg) = part == Part::whole ? -1 : 0;
  hypre_ParAMGDataPartialCycleControl(amg) = part == Part::up ? 1 : 0;
  hypre_BoomerAMGCycle(amg, hypre_ParAMGDataFArray(amg), hypre_ParAMGDataUArray(amg));
}

std::vector<HYPRE_Int> coarse_dof_func(hypre_ParAMGData* amg) {
  const hypre_IntArray* found = hypre_ParAMGDataDofFuncArray(amg)[1];
  if (!found) return {};
  const HYPRE_Int* values = hypre_IntArrayData(found);
  return {values, values + hypre_IntArraySize(found)};
}

// True if all ranks know the function of each of their rows: hypre gives the finest level's by
// turns where the user has not.
bool has_dof_func(const hypre_ParAMGData& configured, int level) {
  return level > 0 ? hypre_ParAMGDataNumFunctions(&configured) > 1
                   : hypre_ParAMGDataDofFunc(&configured) != nullptr;
}

// A level that can't be coarsened has another relaxation than one that needn't be.
void relax_on_coarsest_as(hypre_ParAMGData* from, hypre_ParAMGData* to) {
  hypre_ParAMGDataGridRelaxType(to)[hypre::on_coarsest] =
      hypre_ParAMGDataGridRelaxType(from)[hypre::on_coarsest];
  hypre_ParAMGDataNumGridSweeps(to)[hypre::on_coarsest] =
      hypre_ParAMGDataNumGridSweeps(from)[hypre::on_coarsest];
}

HYPRE_BigInt most_coarse_rows(const hypre_ParAMGData& amg) {
  return hypre_ParAMGDataMaxCoarseSize(&amg);
}

}  // namespace

// The level that is switched: its groups, and the hierarchy of their owners.
class Levels::Switch {
 public:
  Switch(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A, BuildState state, int groups,
         int active, const Pcontrol& pcontrol)
      : groups_(A, groups, active), pcontrol_(pcontrol), level_(state.level) {
    if (has_dof_func(configured, state.level)) state.dof_func = groups_.gather(state.dof_func);
    if (!groups_.is_owner()) return;
    A_ = groups_.A();
    f_ = vector_like(A_), u_ = vector_like(A_);
    direct_ =
        state.level > 0 && hypre_ParCSRMatrixGlobalNumRows(A_) <= most_coarse_rows(configured);
    const int levels = int(hypre_ParAMGDataMaxLevels(&configured)) - state.level;
    if (pcontrol.speaks() && !direct_ && levels > 1) {
      levels_.emplace(configured, A_, std::move(state), pcontrol);
      return;
    }
    rest_ = copy_of(configured, state, direct_ ? 1 : std::max(levels, 1));
    if (direct_) hypre_ParAMGDataUserCoarseRelaxType(rest_.get()) = hypre::gaussian_elimination;
    hypre_BoomerAMGSetup(rest_.get(), A_, f_.get(), u_.get());
    // hypre 3.1 fails where the first solve sets the elimination up.
    if (direct_ && hypre_ParAMGDataGSSetup(rest_.get()) == 0)
      hypre_GaussElimSetup(rest_.get(), 0, hypre::gaussian_elimination);
  }

  void cycle(hypre_ParVector* f, hypre_ParVector* u) {
    pcontrol_.at(level_, Step::gather);
    groups_.gather(f, f_.get());
    groups_.gather(u, u_.get());
    pcontrol_.at(Phase::solve, level_);
    if (groups_.is_owner()) solve();
    pcontrol_.at(level_, Step::scatter);
    groups_.scatter(u_.get(), u);
    pcontrol_.at(Phase::solve, level_);
  }

 private:
  void solve() {
    if (levels_) {
      levels_->cycle(A_, f_.get(), u_.get());
      return;
    }
    if (!direct_) {
      hypre_BoomerAMGSolve(rest_.get(), A_, f_.get(), u_.get());
      return;
    }
    hypre_ParAMGDataFArray(rest_.get())[0] = f_.get();
    hypre_ParAMGDataUArray(rest_.get())[0] = u_.get();
    pcontrol_.flops(level_, flops_of_elimination(double(hypre_ParCSRMatrixGlobalNumRows(A_))));
    hypre_GaussElimSolve(rest_.get(), 0, hypre::gaussian_elimination);
  }

  Groups groups_;
  Pcontrol pcontrol_;
  int level_;
  hypre_ParCSRMatrix* A_ = nullptr;  // of groups_
  Vector f_, u_;
  std::optional<Levels> levels_;  // the rest, where phases or flops of its levels are told
  BoomerAmg rest_;                // else
  bool direct_ = false;  // the level is the coarsest
};

void Levels::DestroySwitch::operator()(Switch* it) const { delete it; }

Levels::Levels(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A,
               const std::optional<ModelOfMachine>& model, std::optional<ForcedSwitch> forced,
               const Pcontrol& pcontrol)
    : forced_(forced),
      flops_(model ? model->flop_seconds : std::vector<double>{0.0}),
      pcontrol_(pcontrol) {
  check_supported(configured);
  if (model) {
    rules_ = model->rules;
    if (hypre_ParAMGDataRelaxOrder(&configured) == hypre::cf)
      rules_.exchanges = model::exchanges_of_cycle_in_cf_order;
    redistribution_.emplace(model->costs, rules_);
  }
  const auto rows = std::size_t(hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(A)));
  build(configured, A, first_state(configured, rows));
  if (forced_ && forced_->level >= int(reports_.size()))
    throw UsageError("redistribution: there is no level " + std::to_string(forced_->level) +
                     "; allowed: 0 to " + std::to_string(reports_.size() - 1));
}

Levels::Levels(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A, BuildState state,
               const Pcontrol& pcontrol)
    : flops_({0.0}), pcontrol_(pcontrol), first_level_(state.level) {
  build(configured, A, std::move(state));
}

void Levels::build(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A, BuildState state) {
  for (bool coarsest = false;; ++state.level) {
    pcontrol_.at(Phase::setup, state.level);
    if (state.level > 0)
      coarsest = hypre_ParCSRMatrixGlobalNumRows(A) <= most_coarse_rows(configured) ||
                 state.level + 1 >= hypre_ParAMGDataMaxLevels(&configured);
    if (const int groups = groups_of(A, coarsest); groups > 0) {
      const int active = int(reports_.back().work.active_ranks);
      switch_.reset(new Switch(configured, A, state, groups, active, pcontrol_));
      return;
    }
    if (coarsest || !build_two(configured, A, state)) return;
  }
}

// The number of groups that a level goes to; 0: it stays.
int Levels::groups_of(hypre_ParCSRMatrix* A, bool coarsest) {
  if (!redistribution_ && !forced_) return 0;
  reports_.push_back(look_at(A, coarsest));
  return reports_.back().groups;
}

// Goes from a level to the next coarser one; false on the coarsest.
bool Levels::build_two(const hypre_ParAMGData& configured, hypre_ParCSRMatrix*& A,
                       BuildState& state) {
  const auto most = std::min<HYPRE_Int>(2, hypre_ParAMGDataMaxLevels(&configured));
  BoomerAmg amg = copy_of(configured, state, int(most));
  hypre_BoomerAMGSetup(amg.get(), A, nullptr, nullptr);
  const bool coarser = hypre_ParAMGDataNumLevels(amg.get()) > 1;
  if (!coarser && !two_levels_.empty()) {  // the level before solves on this one
    relax_on_coarsest_as(amg.get(), two_levels_.back().get());
    return false;
  }
  two_levels_.push_back(std::move(amg));
  if (!coarser) return false;
  hypre_ParAMGData* built = two_levels_.back().get();
  hypre_ParCSRMatrix* next = hypre_ParAMGDataAArray(built)[1];
  // hypre's rule: once a level keeps three quarters of its rows, the others are coarsened by CLJP
  const double slow = 0.75 * double(hypre_ParCSRMatrixGlobalNumRows(A));
  if (state.coarsen_type > 0 && hypre_ParCSRMatrixGlobalNumRows(next) >= HYPRE_BigInt(slow))
    state.coarsen_type = hypre::cljp;
  state.dof_func = coarse_dof_func(built);
  A = next;
  return true;
}

LevelReport Levels::look_at(hypre_ParCSRMatrix* A, bool coarsest) {
  LevelReport report;
  report.work = work_of(A, flops_);
  if (redistribution_) {
    report.decision = redistribution_->decide(report.work, coarsest);
    report.reason = model::explain(*report.decision, rules_);
    if (report.decision->switches()) report.groups = report.decision->best->groups;
  }
  if (!forced_) return report;
  report.groups = 0;
  report.reason = "another level is forced";
  if (forced_->level == int(reports_.size())) {
    check_forced(report);
    report.groups = forced_->groups;
    report.reason = "forced";
  }
  return report;
}

void Levels::check_forced(const LevelReport& report) const {
  const int active = int(report.work.active_ranks);
  if (forced_->groups > active)
    throw UsageError("redistribution: level " + std::to_string(forced_->level) +
                     " can't go to so many groups: " + std::to_string(forced_->groups) +
                     "; allowed: 1 to " + std::to_string(active) + ", the ranks that have rows");
}

void Levels::cycle(hypre_ParCSRMatrix* A, hypre_ParVector* f, hypre_ParVector* u) {
  if (!two_levels_.empty()) hypre_ParAMGDataAArray(two_levels_[0].get())[0] = A;
  cycle_from(0, f, u);
}

void Levels::cycle_from(std::size_t level, hypre_ParVector* f, hypre_ParVector* u) {
  if (level == two_levels_.size()) return switch_->cycle(f, u);
  hypre_ParAMGData* amg = two_levels_[level].get();
  hypre_ParAMGDataFArray(amg)[0] = f;
  hypre_ParAMGDataUArray(amg)[0] = u;
  const int number = number_of(level);
  pcontrol_.at(Phase::solve, number);
  state_flops(amg, number);
  if (!switch_ && level + 1 == two_levels_.size()) return run(amg, Part::whole);
  hypre_ParVector* coarse_u = hypre_ParAMGDataUArray(amg)[1];
  run(amg, Part::down);
  cycle_from(level + 1, hypre_ParAMGDataFArray(amg)[1], coarse_u);
  pcontrol_.at(Phase::solve, number);
  hypre_ParCSRMatrixMatvec(1.0, hypre_ParAMGDataPArray(amg)[0], coarse_u, 1.0, u);
  was_written(u);
  run(amg, Part::up);
}

// States the flops of a level before its messages: sweeps, a residual, restriction and
// interpolation, and the direct solve below the last level that is smoothed.
void Levels::state_flops(hypre_ParAMGData* amg, int level) const {
  if (!pcontrol_.states_flops()) return;
  const HYPRE_Int* sweeps = hypre_ParAMGDataNumGridSweeps(amg);
  const HYPRE_Int* relaxations = hypre_ParAMGDataGridRelaxType(amg);
  const auto relax = [&](int place, hypre_ParCSRMatrix* A) {
    return double(sweeps[place]) * passes_of(relaxations[place]) * flops_of_product(A);
  };
  hypre_ParCSRMatrix** A = hypre_ParAMGDataAArray(amg);
  double count = relax(hypre::going_down, A[0]) + relax(hypre::going_up, A[0]);
  if (hypre_ParAMGDataNumLevels(amg) > 1)
    count += flops_of_product(A[0]) + 2 * flops_of_product(hypre_ParAMGDataPArray(amg)[0]);
  pcontrol_.flops(level, count);
  if (hypre_ParAMGDataNumLevels(amg) < 2 || switch_ || amg != two_levels_.back().get()) return;
  if (hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(A[1])) == 0) return;
  pcontrol_.flops(level + 1,
                  relaxations[hypre::on_coarsest] == hypre::gaussian_elimination
                      ? flops_of_elimination(double(hypre_ParCSRMatrixGlobalNumRows(A[1])))
                      : relax(hypre::on_coarsest, A[1]));
}

}  // namespace odonata::amg
