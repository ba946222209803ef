#include "amg/redistribute/decisions.hpp"
#include "amg/redistribute/explain.hpp"
#include "amg/redistribute/hypre_at_hand.hpp"
#include "amg/redistribute/levels.hpp"
#include "amg/redistribute/machine_file.hpp"
#include "amg/redistribute/odonata_amg.h"
#include "amg/values.hpp"
#include "amg/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace odonata::amg {
namespace {

// A solver as the C interface hands it out.
struct Solver {
  explicit Solver(HYPRE_Solver boomeramg)
      : configured(reinterpret_cast<hypre_ParAMGData*>(boomeramg)) {}

  bool is_off() const { return !model && !forced && !by_level; }
  Pcontrol pcontrol() const { return {phases, FlopClock(flop_seconds)}; }

  BoomerAmg configured;
  std::optional<ModelOfMachine> model;
  std::optional<ForcedSwitch> forced;
  bool by_level = false;  // though none is switched
  bool phases = false;    // are marked
  std::vector<double> flop_seconds;  // that are stated
  std::optional<Levels> levels;
  std::string unfit = unfit_hypre();
  std::string error;
};

Solver& solver_of(HYPRE_Solver amg) { return *reinterpret_cast<Solver*>(amg); }

// Runs an action; its exceptions become the solver's error, and hypre's.
template <class Action>
HYPRE_Int guarded(HYPRE_Solver amg, const Action& action) {
  Solver& solver = solver_of(amg);
  solver.error.clear();
  try {
    action(solver);
    return 0;
  } catch (const std::exception& error) {
    solver.error = error.what();
  }
  hypre_error_w_msg(HYPRE_ERROR_GENERIC, solver.error.c_str());
  return HYPRE_ERROR_GENERIC;
}

void check(bool right, const std::string& what) {
  if (!right) throw UsageError("redistribution: " + what);
}

void check_hypre(const Solver& solver) { check(solver.unfit.empty(), solver.unfit); }

void check_time(const char* name, double seconds) {
  check(seconds >= 0 && seconds <= 1, std::string(name) + " is out of range: " +
                                          std::to_string(seconds) + " s; allowed: 0 to 1 s");
}

void check_model(const odonata_amg_model& m) {
  constexpr int all =
      ODONATA_AMG_DISTANCE | ODONATA_AMG_BANDWIDTH | ODONATA_AMG_ALPHA | ODONATA_AMG_GAMMA;
  check_time("alpha", m.alpha), check_time("beta", m.beta), check_time("gamma", m.gamma);
  check(m.alpha > 0 || m.beta > 0, "the model is missing: neither alpha nor beta is above 0");
  check(m.hops >= 0 && std::isfinite(m.hops), "hops are out of range; allowed: 0 or more");
  check(m.ranks_per_node >= 1, "ranks_per_node is out of range; allowed: 1 or more");
  check(m.least_gain >= 0 && m.least_gain <= 1, "least_gain is out of range; allowed: 0 to 1");
  check(m.cache_bytes >= 0 && std::isfinite(m.cache_bytes), "cache_bytes are out of range");
  check((m.penalties & ~all) == 0, "unknown penalties: " + std::to_string(m.penalties));
  check(!(m.penalties & ODONATA_AMG_BANDWIDTH) || (m.links > 0 && m.peak_bandwidth > 0),
        "the bandwidth penalty needs links and peak_bandwidth");
  check(m.num_flop_seconds >= 0 && m.num_flop_seconds <= ODONATA_AMG_MOST_FLOPS,
        "num_flop_seconds is out of range; allowed: 0 to " +
            std::to_string(int(ODONATA_AMG_MOST_FLOPS)));
  for (int i = 0; i < m.num_flop_seconds; ++i) check_time("flop_seconds", m.flop_seconds[i]);
}

ModelOfMachine model_of(const odonata_amg_model& m) {
  const bool contended = (m.penalties & ODONATA_AMG_BANDWIDTH) != 0;
  ModelOfMachine found;
  found.costs.alpha = m.alpha;
  found.costs.far = m.penalties & ODONATA_AMG_DISTANCE ? m.hops * m.gamma : 0;
  found.costs.beta = m.beta * (contended ? std::max(1.0, m.peak_bandwidth * m.beta / 8) : 1);
  found.costs.contention = contended ? m.beta / m.links : 0;
  found.costs.tasks = m.ranks_per_node;
  found.costs.alpha_shared = (m.penalties & ODONATA_AMG_ALPHA) != 0;
  found.costs.far_shared = (m.penalties & ODONATA_AMG_GAMMA) != 0;
  found.rules.exhaustive = m.every_number != 0;
  found.rules.least_gain = m.least_gain;
  found.rules.cache_bytes = m.cache_bytes / m.ranks_per_node;
  found.rules.index_bytes = sizeof(HYPRE_Int);
  found.flop_seconds.assign(m.flop_seconds, m.flop_seconds + m.num_flop_seconds);
  return found;
}

double norm(hypre_ParVector* x) { return std::sqrt(hypre_ParVectorInnerProd(x, x)); }

double residual_norm(hypre_ParCSRMatrix* A, hypre_ParVector* b, hypre_ParVector* x) {
  const Vector r = vector_like(A);
  hypre_ParCSRMatrixMatvecOutOfPlace(-1.0, A, x, 1.0, b, r.get());
  return norm(r.get());
}

// Cycles up to the tolerance and the number that the configured BoomerAMG has; one without a
// tolerance is the usual preconditioner.
void iterate(Solver& solver, hypre_ParCSRMatrix* A, hypre_ParVector* b, hypre_ParVector* x) {
  hypre_ParAMGData* configured = solver.configured.get();
  const HYPRE_Real tolerance = hypre_ParAMGDataTol(configured);
  const HYPRE_Int most = hypre_ParAMGDataMaxIter(configured);
  double reference = 0, relative = 1;
  if (tolerance > 0) {
    const double first = residual_norm(A, b, x), of_b = norm(b);
    reference = hypre_ParAMGDataConvergeType(configured) == 0 && of_b > 0 ? of_b : first;
    relative = reference > 0 ? first / reference : 0;
  }
  HYPRE_Int cycles = 0;
  const auto go_on = [&] {
    return relative >= tolerance || cycles < hypre_ParAMGDataMinIter(configured);
  };
  for (; cycles < most && go_on(); ++cycles) {
    solver.levels->cycle(A, b, x);
    if (tolerance > 0) relative = reference > 0 ? residual_norm(A, b, x) / reference : 0;
  }
  hypre_ParAMGDataNumIterations(configured) = cycles;
  hypre_ParAMGDataRelativeResidualNorm(configured) = relative;
  if (tolerance > 0 && relative >= tolerance) hypre_error(HYPRE_ERROR_CONV);
}

}  // namespace

std::span<const LevelReport> decisions_of(HYPRE_Solver amg) {
  const Solver& solver = solver_of(amg);
  if (!solver.levels) return {};
  return solver.levels->reports();
}

}  // namespace odonata::amg

using namespace odonata::amg;

extern "C" {

void odonata_amg_model_defaults(odonata_amg_model* model) {
  std::memset(model, 0, sizeof *model);
  model->least_gain = 0.05;
  model->ranks_per_node = 1;
  model->penalties = ODONATA_AMG_DISTANCE;
}

int odonata_amg_read_machine(const char* file, odonata_amg_model* model, char* why,
                             int size_of_why) {
  try {
    std::ifstream in(file);
    if (!in) throw UsageError(std::string("machine: can't be read: ") + file);
    read_machine(in, file, *model);
    return 0;
  } catch (const std::exception& error) {
    if (why && size_of_why > 0) std::snprintf(why, std::size_t(size_of_why), "%s", error.what());
    return 1;
  }
}

HYPRE_Int odonata_amg_create(HYPRE_Solver boomeramg, HYPRE_Solver* amg) {
  *amg = reinterpret_cast<HYPRE_Solver>(new Solver(boomeramg));
  return guarded(*amg, [](const Solver& solver) { check_hypre(solver); });
}

HYPRE_Int odonata_amg_set_off(HYPRE_Solver amg) {
  return guarded(amg, [](Solver& solver) {
    solver.model.reset(), solver.forced.reset();
    solver.by_level = false;
  });
}

HYPRE_Int odonata_amg_set_never(HYPRE_Solver amg) {
  return guarded(amg, [](Solver& solver) {
    solver.model.reset(), solver.forced.reset();
    solver.by_level = true;
  });
}

HYPRE_Int odonata_amg_set_phases(HYPRE_Solver amg, int on) {
  return guarded(amg, [&](Solver& solver) { solver.phases = on != 0; });
}

HYPRE_Int odonata_amg_set_flop_seconds(HYPRE_Solver amg, int number, const double* seconds) {
  return guarded(amg, [&](Solver& solver) {
    check(number >= 0 && number <= ODONATA_AMG_MOST_FLOPS,
          "the number of flop_seconds is out of range; allowed: 0 to " +
              std::to_string(int(ODONATA_AMG_MOST_FLOPS)));
    for (int i = 0; i < number; ++i) check_time("flop_seconds", seconds[i]);
    solver.flop_seconds.assign(seconds, seconds + number);
  });
}

HYPRE_Int odonata_amg_set_model(HYPRE_Solver amg, const odonata_amg_model* model) {
  return guarded(amg, [&](Solver& solver) {
    check_model(*model);
    solver.model = model_of(*model);
  });
}

HYPRE_Int odonata_amg_set_forced(HYPRE_Solver amg, int level, int groups) {
  return guarded(amg, [&](Solver& solver) {
    check(level >= 0, "level is out of range: " + std::to_string(level) + "; allowed: 0 or more");
    check(groups >= 1,
          "groups are out of range: " + std::to_string(groups) + "; allowed: 1 or more");
    solver.forced = {level, groups};
  });
}

HYPRE_Int odonata_amg_setup(HYPRE_Solver amg, HYPRE_ParCSRMatrix A, HYPRE_ParVector b,
                            HYPRE_ParVector x) {
  return guarded(amg, [&](Solver& solver) {
    check_hypre(solver);
    solver.levels.reset();
    const Pcontrol pcontrol = solver.pcontrol();
    pcontrol.between_levels(Phase::setup);
    if (solver.is_off())
      hypre_BoomerAMGSetup(solver.configured.get(), A, b, x);
    else
      solver.levels.emplace(*solver.configured, A, solver.model, solver.forced, pcontrol);
    pcontrol.outside();
  });
}

HYPRE_Int odonata_amg_solve(HYPRE_Solver amg, HYPRE_ParCSRMatrix A, HYPRE_ParVector b,
                            HYPRE_ParVector x) {
  return guarded(amg, [&](Solver& solver) {
    check_hypre(solver);
    const Pcontrol pcontrol = solver.pcontrol();
    pcontrol.between_levels(Phase::solve);
    if (solver.is_off()) {
      hypre_BoomerAMGSolve(solver.configured.get(), A, b, x);
      return;
    }
    check(solver.levels.has_value(), "the setup has failed, or there was none");
    iterate(solver, A, b, x);
    pcontrol.between_levels(Phase::solve);
  });
}

HYPRE_Int odonata_amg_destroy(HYPRE_Solver amg) {
  delete reinterpret_cast<Solver*>(amg);
  return 0;
}

const char* odonata_amg_error(HYPRE_Solver amg) { return solver_of(amg).error.c_str(); }

HYPRE_Int odonata_amg_print(HYPRE_Solver amg, FILE* file) {
  return guarded(amg, [&](Solver&) {
    std::ostringstream text;
    write_table(text, decisions_of(amg));
    std::fputs(text.str().c_str(), file);
  });
}

HYPRE_Int odonata_amg_print_json(HYPRE_Solver amg, FILE* file) {
  return guarded(amg, [&](Solver&) {
    std::ostringstream text;
    JsonWriter json(text);
    json.begin();
    write_decisions(json, decisions_of(amg));
    json.end();
    std::fputs(text.str().c_str(), file);
  });
}

}  // extern "C"
