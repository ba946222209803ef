#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace odonata::amg {

// What the user gave is wrong: the same on all ranks, and one of them says so.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Triple = std::array<int, 3>;  // along x, y, z

// A name of ours for a number of hypre's.
struct Choice {
  std::string_view name;
  int code = 0;
};

enum class Problem { laplace, laplace27 };
enum class Solver { pcg, gmres };
enum class Preconditioner { amg, diagonal };

// What to set up, solve and measure. The defaults are those of "model-guided AMG on a dragonfly".
struct Options {
  Choice problem{"laplace", int(Problem::laplace)};
  Triple points{50, 50, 25};         // of each rank
  std::optional<Triple> ranks_grid;  // none: near to a cube of points
  Choice solver{"pcg", int(Solver::pcg)};
  Choice preconditioner{"amg", int(Preconditioner::amg)};
  int restart = 10;  // of GMRES
  double tolerance = 1e-8;
  int max_iterations = 1000;
  Choice coarsening{"hmis", 10};
  Choice interpolation{"extended+i", 6};
  int max_elements = 4;  // entries a row of the interpolation; 0: all
  int aggressive_levels = 1;
  double strong_threshold = 0.25;
  Choice relaxation{"hybrid-gauss-seidel", 3};
  int cycles = 10;     // that are timed; 0: none
  std::string output;  // file; empty: standard output
  bool help = false;
};

// Throws UsageError, with the near miss where a name is unknown.
Options parse_options(int argc, char** argv);

std::string help_text();

}  // namespace odonata::amg
