#include "document.hpp"

#include "amg/redistribute/explain.hpp"
#include "json.hpp"
#include "launcher.hpp"

#include <HYPRE_config.h>

#include <numeric>

namespace odonata::amg {
namespace {

double divided(double a, double b) { return b > 0 ? a / b : 0; }

void write_options(JsonWriter& json, const Options& options) {
  json.begin("options");
  json.put("coarsening", options.coarsening.name);
  json.put("interpolation", options.interpolation.name);
  json.put("max_elements", options.max_elements);
  json.put("aggressive_levels", options.aggressive_levels);
  json.put("aggressive_interpolation", options.aggressive_interpolation.name);
  json.put("strong_threshold", options.strong_threshold);
  json.put("max_row_sum", options.max_row_sum);
  json.put("coarse_rows", options.coarse_rows);
  json.put("relaxation", options.relaxation.name);
  json.put("relaxation_order", options.relaxation_order.name);
  json.put("relaxation_weight", options.relaxation_weight);
  json.end();
}

void write_solution(JsonWriter& json, const Options& options, const Solution& solution) {
  json.put("solver", options.solver.name);
  json.put("preconditioner", options.preconditioner.name);
  json.put("setup_seconds", solution.setup_seconds);
  if (!solution.solved) return;
  json.put("solve_seconds", solution.solve_seconds);
  json.put("tolerance", options.tolerance);
  json.put("iterations", solution.iterations);
  json.put("residual", solution.residual);
  json.put("converged", solution.converged);
}

void write_redistribution(JsonWriter& json, const Options& options, const Report& report) {
  const RedistributeOptions& wanted = options.redistribute;
  json.begin("redistribution");
  constexpr std::string_view modes[] = {"off", "never", "model", "forced"};
  json.put("mode", modes[std::size_t(wanted.mode)]);
  json.put("scenario", wanted.scenario.name);
  json.put("candidates", wanted.candidates.name);
  json.put("least_gain", wanted.least_gain);
  write_decisions(json, report.decisions);
  json.end();
}

void write_complexities(JsonWriter& json, const std::vector<LevelStatistics>& levels) {
  double rows = 0, nonzeros = 0;
  for (const LevelStatistics& level : levels) rows += level.rows, nonzeros += level.nonzeros;
  json.put("operator_complexity", divided(nonzeros, levels[0].nonzeros));
  json.put("grid_complexity", divided(rows, levels[0].rows));
}

void write_seconds(JsonWriter& json, std::string_view key, const OperationSeconds& seconds) {
  json.begin(key);
  json.put("smooth", seconds[smooth]);
  json.put("restrict", seconds[restrict_to_coarser]);
  json.put("interp", seconds[interpolate_to_finer]);
  json.put("direct", seconds[solve_coarsest]);
  json.put("total", std::reduce(seconds.begin(), seconds.end()));
  json.end();
}

void write_level(JsonWriter& json, const LevelStatistics& level) {
  const auto count = [&](std::string_view key, double value) {
    json.put(key, static_cast<long long>(value));
  };
  count("rows", level.rows);
  count("nnz", level.nonzeros);
  json.put("nnz_per_row", divided(level.nonzeros, level.rows));
  json.put("P_nnz_per_row", divided(level.interp_nonzeros, level.rows));
  count("A_max_sends", level.max_sends);
  count("A_max_elements_sent", level.max_elements_sent);
  json.put("A_mean_sends", level.mean_sends);
  json.put("A_mean_elements_sent", level.mean_elements_sent);
  count("P_max_sends", level.interp_max_sends);
  count("P_max_elements_sent", level.interp_max_elements_sent);
  count("P_max_receives", level.interp_max_receives);
  count("P_max_elements_received", level.interp_max_elements_received);
  count("active_ranks", level.active_ranks);
  count("max_rows_per_rank", level.max_rows);
}

}  // namespace

void write_document(std::ostream& out, const Options& options, const Report& report) {
  JsonWriter json(out);
  json.begin();
  json.put("source", "odonata-amg " ODONATA_VERSION ", hypre " HYPRE_RELEASE_VERSION);
  json.put("mpi", mpi_version());
  json.put("problem", options.problem_title());
  json.put("ranks", report.ranks);
  if (options.has_ranks_grid()) json.put_list("rank_grid", report.ranks_grid);
  if (options.is_laplacian())
    json.put_list("points_per_rank", options.points);
  else
    json.put("functions", options.functions);
  if (options.problem == Problem::elasticity) json.put("elements", options.elements);
  write_solution(json, options, report.solution);
  if (options.redistribute.is_on()) {
    write_options(json, options);
    write_redistribution(json, options, report);
  }
  if (!report.levels.empty()) {
    write_options(json, options);
    write_complexities(json, report.levels);
    json.put("statistics_seconds", report.statistics_seconds);
    json.put("cycles", options.cycles);
    if (options.cycles) {
      json.put("cycle_seconds", report.cycle.seconds);
      json.put("flops", options.flop_seconds.empty() ? "measured" : "given");
    }
    json.begin_list("levels");
    for (std::size_t i = 0; i < report.levels.size(); ++i) {
      json.begin();
      write_level(json, report.levels[i]);
      if (options.cycles) {
        json.put("flop_seconds", report.cycle.levels[i].flop_seconds);
        write_seconds(json, "seconds", report.cycle.levels[i].largest);
        write_seconds(json, "mean_seconds", report.cycle.levels[i].mean);
      }
      json.end();
    }
    json.end_list();
  }
  json.end();
}

}  // namespace odonata::amg
