#pragma once

#include "amg/redistribute/boomeramg.hpp"
#include "amg/redistribute/groups.hpp"
#include "amg/redistribute/pcontrol.hpp"
#include "amg/redistribute/work.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace odonata::amg {

// A switch that the user wants, whatever a model says.
struct ForcedSwitch {
  int level = 0, groups = 1;
};

// The model's side: costs of messages, times of flops, and the rules.
struct ModelOfMachine {
  model::MessageCosts costs;
  model::RedistributionRules rules;
  std::vector<double> flop_seconds;  // of level 0, 1, ...; none: measured
};

// Findings and decision for a level, the same on all ranks.
struct LevelReport {
  model::LevelWork work;
  std::optional<model::LevelDecision> decision;  // none without a model
  int groups = 0;                                // that the level went to; 0: it stayed
  std::string reason;
};

// A hierarchy of hypre's that is built one level at a time, each by a BoomerAMG of two levels,
// until one is switched to fewer ranks. Their owners continue with an ordinary BoomerAMG.
class Levels {
 public:
  // Sets up. Throws UsageError on all ranks if the switch is impossible. Without a model and a
  // forced switch there is nothing to decide. Collective.
  Levels(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A,
         const std::optional<ModelOfMachine>& model, std::optional<ForcedSwitch> forced,
         const Pcontrol& pcontrol = {});
  // The levels from the level of `state` on, none of which is switched.
  Levels(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A, BuildState state,
         const Pcontrol& pcontrol);

  // One V-cycle for A u = f from the u that is given. Collective.
  void cycle(hypre_ParCSRMatrix* A, hypre_ParVector* f, hypre_ParVector* u);

  const std::vector<LevelReport>& reports() const { return reports_; }

 private:
  class Switch;
  struct DestroySwitch {
    void operator()(Switch* it) const;
  };

  LevelReport look_at(hypre_ParCSRMatrix* A, bool coarsest);
  void check_forced(const LevelReport& report) const;
  void build(const hypre_ParAMGData& configured, hypre_ParCSRMatrix* A, BuildState state);
  int groups_of(hypre_ParCSRMatrix* A, bool coarsest);
  bool build_two(const hypre_ParAMGData& configured, hypre_ParCSRMatrix*& A, BuildState& state);
  void cycle_from(std::size_t level, hypre_ParVector* f, hypre_ParVector* u);

  void state_flops(hypre_ParAMGData* amg, int level) const;
  int number_of(std::size_t level) const { return first_level_ + int(level); }

  std::optional<model::Redistribution> redistribution_;
  model::RedistributionRules rules_;
  std::optional<ForcedSwitch> forced_;
  FlopTimes flops_;
  Pcontrol pcontrol_;
  int first_level_ = 0;
  std::vector<LevelReport> reports_;
  std::vector<BoomerAmg> two_levels_;  // [level - first_level_]
  std::unique_ptr<Switch, DestroySwitch> switch_;
};

}  // namespace odonata::amg
