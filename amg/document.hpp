#pragma once

#include "cycle.hpp"
#include "hierarchy.hpp"
#include "options.hpp"
#include "solve.hpp"

#include "amg/redistribute/levels.hpp"

#include <ostream>

namespace odonata::amg {

struct Report {
  Triple ranks_grid{};
  int ranks = 1;
  Solution solution;
  std::vector<LevelStatistics> levels;  // none with the diagonal
  double statistics_seconds = 0;
  CycleTimes cycle;
  std::vector<LevelReport> decisions;  // where levels may be redistributed
};

// Options and results as one JSON document. `odonata predict amg --hierarchy` reads it.
void write_document(std::ostream& out, const Options& options, const Report& report);

}  // namespace odonata::amg
