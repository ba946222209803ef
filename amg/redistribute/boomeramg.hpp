#pragma once

#include <_hypre_parcsr_ls.h>

#include <memory>
#include <vector>

namespace odonata::amg {

struct DestroyBoomerAmg {
  void operator()(hypre_ParAMGData* amg) const { hypre_BoomerAMGDestroy(amg); }
};
using BoomerAmg = std::unique_ptr<hypre_ParAMGData, DestroyBoomerAmg>;

// The state that changes from level to level in a hierarchy that is built one level at a time.
struct BuildState {
  int level = 0;
  HYPRE_Int coarsen_type = 0;       // hypre goes over to CLJP where coarsening becomes slow
  std::vector<HYPRE_Int> dof_func;  // the function of each local row; empty: hypre's own
};

BuildState first_state(const hypre_ParAMGData& configured, std::size_t local_rows);

// Throws UsageError where a configured BoomerAMG uses options that can't be built level by level.
void check_supported(const hypre_ParAMGData& configured);

// A BoomerAMG configured as another that isn't set up yet, for the levels from state.level on, at
// most max_levels of them. It prints nothing and does one cycle without a tolerance.
BoomerAmg copy_of(const hypre_ParAMGData& configured, const BuildState& state, int max_levels);

}  // namespace odonata::amg
