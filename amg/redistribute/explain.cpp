#include "amg/redistribute/explain.hpp"

#include "amg/markdown.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace odonata::amg {
namespace {

std::vector<std::string> row_of(std::size_t level, const LevelReport& report) {
  const model::LevelWork& work = report.work;
  std::vector<std::string> row{std::to_string(level), formatted("%.0f", work.rows),
                               formatted("%.0f", work.active_ranks), formatted("%.0f", work.sends)};
  row.resize(9);
  if (report.decision) {
    row[4] = formatted("%.3f", report.decision->no_switch_seconds * 1e6);
    if (const auto& best = report.decision->best) {
      row[5] = formatted("%.3f", best->seconds * 1e6);
      row[6] = std::to_string(best->groups);
      row[7] = formatted("%.1f %%", 100 * report.decision->gain);
    }
  }
  row[8] = (report.groups > 0 ? "* " : "") + report.reason;
  if (report.groups > 0 && report.reason == "forced")
    row[8] += " to " + std::to_string(report.groups);
  return row;
}

void write_decision(JsonWriter& json, const model::LevelDecision& decision) {
  json.put("no_switch_seconds", decision.no_switch_seconds);
  json.begin("switch_seconds");
  for (const model::Candidate& candidate : decision.candidates)
    json.put(std::to_string(candidate.groups), candidate.seconds);
  json.end();
  std::vector<int> excluded;
  for (const model::Candidate& candidate : decision.candidates)
    if (candidate.too_large) excluded.push_back(candidate.groups);
  json.put_list("excluded", excluded);
  if (decision.best) {
    json.put("groups", decision.best->groups);
    json.put("gain", decision.gain);
  } else {
    json.put_null("groups");
    json.put_null("gain");
  }
}

}  // namespace

std::size_t switched_level(std::span<const LevelReport> reports) {
  const auto switched = std::find_if(reports.begin(), reports.end(),
                                     [](const LevelReport& report) { return report.groups > 0; });
  return std::size_t(switched - reports.begin());
}

void write_table(std::ostream& out, std::span<const LevelReport> reports) {
  TextRows rows{{"level", "rows", "ranks", "sends", "no switch [us]", "best switch [us]", "groups",
                 "gain", "decision"}};
  for (std::size_t i = 0; i < reports.size(); ++i) rows.push_back(row_of(i, reports[i]));
  out << markdown(rows, "rrrrrrrrl");
}

void write_decisions(JsonWriter& json, std::span<const LevelReport> reports) {
  const std::size_t level = switched_level(reports);
  if (level == reports.size()) {
    for (const char* key : {"level", "groups", "gain"}) json.put_null(key);
  } else {
    const LevelReport& switched = reports[level];
    json.put("level", int(level));
    json.put("groups", switched.groups);
    const bool modelled = switched.decision && switched.decision->switches();
    modelled ? json.put("gain", switched.decision->gain) : json.put_null("gain");
  }
  json.begin_list("levels");
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const LevelReport& report = reports[i];
    json.begin();
    json.put("level", int(i));
    json.put("rows", static_cast<long long>(report.work.rows));
    json.put("nnz_per_row", report.work.row_nonzeros);
    json.put("active_ranks", int(report.work.active_ranks));
    json.put("max_sends", static_cast<long long>(report.work.sends));
    json.put("max_values_sent", static_cast<long long>(report.work.values_sent));
    if (report.decision) {
      json.put("flop_seconds", report.work.flop_seconds);
      write_decision(json, *report.decision);
    }
    json.put("reason", report.reason);
    json.end();
  }
  json.end_list();
}

}  // namespace odonata::amg
