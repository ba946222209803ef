#pragma once

#include "hypre_codes.hpp"
#include "values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace odonata::amg {

enum class Problem { laplace, laplace27, elasticity, matrix };
enum class Solver { pcg, gmres, none };
enum class Preconditioner { amg, diagonal };
enum class Redistribute { off, never, model, forced };

// When coarse levels move to fewer ranks, for odonata_amg.h. Values that are not given are taken
// from the machine file, else they have the defaults of odonata_amg.h.
struct RedistributeOptions {
  Redistribute mode = Redistribute::off;
  int level = 0, groups = 1;  // that are forced
  std::string machine;        // file
  std::optional<double> alpha, beta, gamma, hops;  // [s], [s] a value, [s] a hop
  std::optional<double> cache;                     // [B] of a rank
  std::vector<double> flop_seconds;                // [s] by level
  bool measured_flops = false;                     // though the machine file has them
  int ranks_per_node = 1;
  Choice scenario{"distance", 1};
  double links = 0, peak_bandwidth = 0;  // of the bandwidth penalty; [B/s]
  double least_gain = 0.05;
  Choice candidates{"powers", 0};

  bool is_on() const { return mode != Redistribute::off; }
};

// Options: the problem, the solver and the measurements. The defaults follow "model-guided AMG on a
// dragonfly".
struct Options {
  Problem problem = Problem::laplace;
  std::string problem_name = "laplace";  // of a matrix: its file
  Triple points{50, 50, 25};             // of each rank
  bool points_given = false;
  int elements = 4;  // of the beam, along its short sides
  bool elements_given = false, functions_given = false;
  std::optional<Triple> ranks_grid;      // none: near to a cube of points
  int functions = 1;                     // unknowns of a point, one after the other; of a matrix
  Choice solver{"pcg", int(Solver::pcg)};
  Choice preconditioner{"amg", int(Preconditioner::amg)};
  int restart = 10;  // of GMRES
  double tolerance = 1e-8;
  int max_iterations = 1000;
  Choice coarsening{"hmis", hypre::hmis};
  Choice interpolation{"extended+i", hypre::extended_plus_i};
  int max_elements = 4;  // entries a row of the interpolation; 0: all
  int aggressive_levels = 1;
  Choice aggressive_interpolation{"multipass", hypre::aggressive_multipass};
  double strong_threshold = 0.25, max_row_sum = 0.9;
  int coarse_rows = 9;  // at most so many are solved directly
  Choice relaxation{"hybrid-gauss-seidel", hypre::forward_gauss_seidel};
  Choice relaxation_order{"lexicographic", hypre::lexicographic};
  double relaxation_weight = 1;
  int cycles = 10;                   // that are timed; 0: none
  std::vector<double> flop_seconds;  // of level 0, 1, ...; the last holds beyond; none: measured
  bool cycles_given = false;
  bool phases = false;  // are marked in a trace
  RedistributeOptions redistribute;
  std::string output;  // file; empty: standard output
  bool help = false;

  std::string matrix_output;  // start of the names of files with matrix and right-hand side

  bool is_laplacian() const { return problem == Problem::laplace || problem == Problem::laplace27; }
  // Without the folders of a file.
  std::string problem_title() const { return problem_name.substr(problem_name.rfind('/') + 1); }
  bool has_ranks_grid() const { return problem != Problem::matrix; }
};

// Throws UsageError, with the near miss where a name is unknown.
Options parse_options(int argc, char** argv);

std::string help_text();

}  // namespace odonata::amg
