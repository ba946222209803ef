#include "summary.hpp"

#include "amg/markdown.hpp"
#include "amg/redistribute/explain.hpp"
#include "amg/text.hpp"

#include <algorithm>
#include <numeric>

namespace odonata::amg {
namespace {

// "12.3 ms"
std::string time_text(double seconds) {
  if (seconds >= 1) return formatted("%.3g s", seconds);
  return seconds >= 1e-3 ? formatted("%.3g ms", seconds * 1e3)
                         : formatted("%.3g us", seconds * 1e6);
}

double total(const LevelTimes& level) {
  return std::reduce(level.largest.begin(), level.largest.end());
}

void write_levels(std::ostream& out, const Options& options, const Report& report) {
  TextRows rows{{"level", "rows", "nonzeros a row", "ranks with rows", "most messages of a rank"}};
  std::string alignment = "rrrrr";
  if (options.cycles) rows[0].push_back("cycle [us]"), alignment += 'r';
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    const LevelStatistics& level = report.levels[i];
    rows.push_back({std::to_string(i), formatted("%.0f", level.rows),
                    formatted("%.1f", level.rows > 0 ? level.nonzeros / level.rows : 0),
                    formatted("%.0f", level.active_ranks), formatted("%.0f", level.max_sends)});
    if (options.cycles)
      rows.back().push_back(formatted("%.3f", total(report.cycle.levels[i]) * 1e6));
  }
  out << markdown(rows, alignment) << '\n';
}

// The level that takes most of a cycle; nothing where no cycle was timed.
void write_longest(std::ostream& out, const Options& options, const Report& report) {
  if (!options.cycles || report.cycle.levels.empty()) return;
  double sum = 0;
  for (const LevelTimes& level : report.cycle.levels) sum += total(level);
  const auto longest = std::max_element(
      report.cycle.levels.begin(), report.cycle.levels.end(),
      [](const LevelTimes& a, const LevelTimes& b) { return total(a) < total(b); });
  if (sum <= 0) return;
  const bool same_cycle = !options.flop_seconds.empty();
  out << (same_cycle ? "A cycle takes " : "hypre's own cycle takes ")
      << time_text(report.cycle.seconds) << ". "
      << (same_cycle ? "Its operations, each on its slowest rank, take "
                     : "A second measurement, of each operation on its slowest rank, has ")
      << time_text(sum) << " in sum; " << formatted("%.0f %%", 100 * total(*longest) / sum)
      << " of them on level " << longest - report.cycle.levels.begin() << ".\n";
}

void write_decision(std::ostream& out, const Report& report) {
  const auto level = switched_level(report.decisions);
  if (level == report.decisions.size()) {
    out << "No level is switched.\n";
    return;
  }
  const LevelReport& found = report.decisions[level];
  out << "Level " << level << " is switched to " << found.groups
      << (found.groups == 1 ? " rank: " : " ranks: ") << found.reason << ".\n";
}

}  // namespace

void write_summary(std::ostream& out, const Options& options, const Report& report) {
  const Solution& solution = report.solution;
  out << shown(options.problem_title()) << " on " << report.ranks
      << (report.ranks == 1 ? " rank" : " ranks") << ": setup "
      << time_text(solution.setup_seconds);
  if (solution.solved)
    out << ", solve " << time_text(solution.solve_seconds) << ", " << solution.iterations
        << " iterations of " << options.solver.name << ", relative residual "
        << formatted("%.2g", solution.residual);
  out << "\n\n";
  if (!report.levels.empty()) {
    write_levels(out, options, report);
    write_longest(out, options, report);
  }
  if (report.decisions.empty()) return;
  write_table(out, report.decisions);
  out << '\n';
  write_decision(out, report);
}

}  // namespace odonata::amg
