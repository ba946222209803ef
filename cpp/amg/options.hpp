#pragma once

#include "values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace odonata::amg {

enum class Problem { laplace, laplace27, matrix };
enum class Solver { pcg, gmres, none };
enum class Preconditioner { amg, diagonal };

// What to set up, solve and measure. The defaults are those of "model-guided AMG on a dragonfly".
struct Options {
  Problem problem = Problem::laplace;
  std::string problem_name = "laplace";  // of a matrix: its file
  Triple points{50, 50, 25};             // of each rank
  bool points_given = false;
  std::optional<Triple> ranks_grid;      // none: near to a cube of points
  int functions = 1;                     // unknowns of a point, one after the other; of a matrix
  Choice solver{"pcg", int(Solver::pcg)};
  Choice preconditioner{"amg", int(Preconditioner::amg)};
  int restart = 10;  // of GMRES
  double tolerance = 1e-8;
  int max_iterations = 1000;
  Choice coarsening{"hmis", 10};
  Choice interpolation{"extended+i", 6};
  int max_elements = 4;  // entries a row of the interpolation; 0: all
  int aggressive_levels = 1;
  Choice aggressive_interpolation{"multipass", 4};
  double strong_threshold = 0.25, max_row_sum = 0.9;
  int coarse_rows = 9;  // at most so many are solved directly
  Choice relaxation{"hybrid-gauss-seidel", 3};
  double relaxation_weight = 1;
  int cycles = 10;                   // that are timed; 0: none
  std::vector<double> flop_seconds;  // of level 0, 1, ...; the last holds beyond; none: measured
  std::string output;  // file; empty: standard output
  bool help = false;

  bool is_grid() const { return problem != Problem::matrix; }
};

// Throws UsageError, with the near miss where a name is unknown.
Options parse_options(int argc, char** argv);

std::string help_text();

}  // namespace odonata::amg
