#include "options.hpp"

#include <algorithm>

namespace odonata::amg {
namespace {

constexpr Choice problems[] = {{"laplace", int(Problem::laplace)},
                               {"laplace27", int(Problem::laplace27)}};
constexpr Choice solvers[] = {
    {"pcg", int(Solver::pcg)}, {"gmres", int(Solver::gmres)}, {"none", int(Solver::none)}};
constexpr Choice preconditioners[] = {{"amg", int(Preconditioner::amg)},
                                      {"diagonal", int(Preconditioner::diagonal)}};
// Numbers of hypre's.
constexpr Choice coarsenings[] = {{"hmis", 10}, {"pmis", 8},         {"falgout", 6},
                                  {"cljp", 0},  {"ruge-stueben", 3}, {"cgc", 21}};
constexpr Choice interpolations[] = {{"extended+i", 6}, {"extended", 14}, {"standard", 8},
                                     {"ff1", 13},       {"classical", 0}, {"direct", 3},
                                     {"multipass", 4}};
constexpr Choice aggressive_interpolations[] = {
    {"multipass", 4}, {"extended+i", 1}, {"standard", 2}, {"extended", 3}};
constexpr Choice relaxations[] = {
    {"hybrid-gauss-seidel", 3},       {"l1-gauss-seidel", 13}, {"symmetric-gauss-seidel", 6},
    {"l1-symmetric-gauss-seidel", 8}, {"jacobi", 0},           {"l1-jacobi", 18}};

std::string names(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) {
    if (!text.empty()) text += ", ";
    text += choice.name;
  }
  return text;
}

using Text = std::string_view;

// A name of a problem, or a file.
void set_problem(Options& options, Text option, Text given) {
  const bool file = given.ends_with(".mtx") || given.find('/') != given.npos;
  options.problem_name = given;
  options.problem = file ? Problem::matrix : Problem(choose(option, given, problems).code);
}

struct Option {
  Text name, argument, help;
  void (*set)(Options&, Text name, Text value);
  std::span<const Choice> choices = {};  // what the help names after its own words
};

constexpr Option known_options[] = {
    {"--problem", "NAME", "a Laplacian of 7 or 27 points, or a Matrix Market file (.mtx);",
     set_problem, problems},
    {"--points", "NxNxN", "grid points of each rank; default 50x50x25",
     [](Options& o, Text n, Text v) { o.points = triple(n, v), o.points_given = true; }},
    {"--ranks-grid", "NxNxN", "ranks along x, y, z; default: near to a cube of points",
     [](Options& o, Text n, Text v) { o.ranks_grid = triple(n, v); }},
    {"--functions", "N", "unknowns of a point, one after the other in a file; default 1",
     [](Options& o, Text n, Text v) { o.functions = whole_number(n, v, 1, 1000); }},
    {"--solver", "NAME", "none: setup and cycles only;",
     [](Options& o, Text n, Text v) { o.solver = choose(n, v, solvers); }, solvers},
    {"--preconditioner", "NAME", "",
     [](Options& o, Text n, Text v) { o.preconditioner = choose(n, v, preconditioners); },
     preconditioners},
    {"--restart", "N", "vectors that GMRES keeps; default 10",
     [](Options& o, Text n, Text v) { o.restart = whole_number(n, v, 1, 1000); }},
    {"--tolerance", "X", "relative residual; default 1e-8",
     [](Options& o, Text n, Text v) { o.tolerance = real_number(n, v, 1e-16, 1.0); }},
    {"--max-iterations", "N", "default 1000",
     [](Options& o, Text n, Text v) { o.max_iterations = whole_number(n, v, 1, 1'000'000); }},
    {"--coarsening", "NAME", "",
     [](Options& o, Text n, Text v) { o.coarsening = choose(n, v, coarsenings); }, coarsenings},
    {"--interpolation", "NAME", "",
     [](Options& o, Text n, Text v) { o.interpolation = choose(n, v, interpolations); },
     interpolations},
    {"--max-elements", "N", "entries a row of the interpolation, 0: all; default 4",
     [](Options& o, Text n, Text v) { o.max_elements = whole_number(n, v, 0, 1000); }},
    {"--aggressive-levels", "N", "levels coarsened aggressively; default 1",
     [](Options& o, Text n, Text v) { o.aggressive_levels = whole_number(n, v, 0, 100); }},
    {"--aggressive-interpolation", "NAME", "multipass, or in two stages;",
     [](Options& o, Text n, Text v) {
       o.aggressive_interpolation = choose(n, v, aggressive_interpolations);
     },
     aggressive_interpolations},
    {"--strong-threshold", "X", "of connections; default 0.25",
     [](Options& o, Text n, Text v) { o.strong_threshold = real_number(n, v, 0.0, 1.0); }},
    {"--max-row-sum", "X", "above it a row has no strong connections; default 0.9, 1: none is",
     [](Options& o, Text n, Text v) { o.max_row_sum = real_number(n, v, 0.0, 1.0); }},
    {"--coarse-rows", "N", "so many at most are solved directly; default 9",
     [](Options& o, Text n, Text v) { o.coarse_rows = whole_number(n, v, 1, 100'000); }},
    {"--relaxation", "NAME", "Gauss-Seidel goes forward down and backward up;",
     [](Options& o, Text n, Text v) { o.relaxation = choose(n, v, relaxations); }, relaxations},
    {"--relaxation-weight", "X", "default 1",
     [](Options& o, Text n, Text v) { o.relaxation_weight = real_number(n, v, 0.0, 2.0); }},
    {"--cycles", "N", "cycles that are timed, 0: none; default 10",
     [](Options& o, Text n, Text v) { o.cycles = whole_number(n, v, 0, 1'000'000); }},
    {"--flop-seconds", "T,T...",
     "time of a flop on level 0, 1, ... of the simulated machine, as in 1.59ns,0.806ns",
     [](Options& o, Text n, Text v) { o.flop_seconds = times(n, v); }},
    {"--output", "FILE", "also -o; default: standard output",
     [](Options& o, Text, Text v) { o.output = v; }},
};

const Option& find_option(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Option& option : known_options) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  throw UsageError("option" + unknown(name, names));
}

// What goes together.
void check(const Options& options) {
  if (options.functions > 1 && options.is_grid())
    throw UsageError("--functions: only with a matrix from a file, not with " +
                     options.problem_name);
  if ((options.ranks_grid || options.points_given) && !options.is_grid())
    throw UsageError("--points, --ranks-grid: not with a matrix from a file, which has no grid");
  const bool amg = Preconditioner(options.preconditioner.code) == Preconditioner::amg;
  if (Solver(options.solver.code) == Solver::none && !amg)
    throw UsageError("--solver: none needs --preconditioner amg");
  if (!options.flop_seconds.empty() && (!amg || options.cycles == 0))
    throw UsageError("--flop-seconds: no cycle is timed (--preconditioner amg, --cycles 1)");
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view name = words[i];
    if (name == "--help" || name == "-h") {
      options.help = true;
      return options;
    }
    const std::size_t equals = name.starts_with("--") ? name.find('=') : name.npos;
    const std::string_view joined = equals == name.npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals);
    const Option& option = find_option(name == "-o" ? "--output" : name);
    if (equals == name.npos && i + 1 == words.size())
      throw UsageError(std::string(name) + ": its value is missing");
    option.set(options, option.name, equals == name.npos ? words[++i] : joined);
  }
  check(options);
  return options;
}

std::string help_text() {
  std::string text =
      "odonata-amg [options]: set up hypre's BoomerAMG, solve, time the cycle level by level.\n"
      "Writes one JSON document, which `odonata predict amg --hierarchy` reads.\n\n";
  for (const Option& option : known_options) {
    std::string left = "  " + std::string(option.name) + " " + std::string(option.argument);
    left.resize(std::max<std::size_t>(left.size() + 1, 34), ' ');
    text += left + std::string(option.help);
    if (!option.help.empty() && !option.choices.empty()) text += " ";
    if (!option.choices.empty())
      text.append(names(option.choices)).append("; default ").append(option.choices[0].name);
    text += "\n";
  }
  return text;
}

}  // namespace odonata::amg
