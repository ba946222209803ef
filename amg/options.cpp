#include "options.hpp"

#include "amg/redistribute/odonata_amg.h"

#include <algorithm>

namespace odonata::amg {
namespace {

constexpr Choice problems[] = {{"laplace", int(Problem::laplace)},
                               {"laplace27", int(Problem::laplace27)},
                               {"elasticity", int(Problem::elasticity)}};
constexpr Choice solvers[] = {
    {"pcg", int(Solver::pcg)}, {"gmres", int(Solver::gmres)}, {"none", int(Solver::none)}};
constexpr Choice preconditioners[] = {{"amg", int(Preconditioner::amg)},
                                      {"diagonal", int(Preconditioner::diagonal)}};
constexpr Choice coarsenings[] = {{"hmis", hypre::hmis},
                                  {"pmis", hypre::pmis},
                                  {"falgout", hypre::falgout},
                                  {"cljp", hypre::cljp},
                                  {"ruge-stueben", hypre::ruge_stueben},
                                  {"cgc", hypre::cgc}};
constexpr Choice interpolations[] = {
    {"extended+i", hypre::extended_plus_i}, {"extended", hypre::extended},
    {"standard", hypre::standard},          {"ff1", hypre::ff1},
    {"classical", hypre::classical},        {"direct", hypre::direct},
    {"multipass", hypre::multipass}};
constexpr Choice aggressive_interpolations[] = {{"multipass", hypre::aggressive_multipass},
                                                {"extended+i", hypre::two_stage_extended_plus_i},
                                                {"standard", hypre::two_stage_standard},
                                                {"extended", hypre::two_stage_extended}};
constexpr Choice relaxations[] = {{"hybrid-gauss-seidel", hypre::forward_gauss_seidel},
                                  {"l1-gauss-seidel", hypre::l1_forward_gauss_seidel},
                                  {"symmetric-gauss-seidel", hypre::symmetric_gauss_seidel},
                                  {"l1-symmetric-gauss-seidel", hypre::l1_symmetric_gauss_seidel},
                                  {"jacobi", hypre::jacobi},
                                  {"l1-jacobi", hypre::l1_jacobi}};

constexpr Choice relaxation_orders[] = {{"lexicographic", hypre::lexicographic}, {"cf", hypre::cf}};

using Text = std::string_view;

constexpr Choice scenarios[] = {
    {"baseline", 0},
    {"distance", ODONATA_AMG_DISTANCE},
    {"bandwidth", ODONATA_AMG_DISTANCE | ODONATA_AMG_BANDWIDTH},
    {"alpha", ODONATA_AMG_DISTANCE | ODONATA_AMG_BANDWIDTH | ODONATA_AMG_ALPHA},
    {"gamma", ODONATA_AMG_DISTANCE | ODONATA_AMG_BANDWIDTH | ODONATA_AMG_GAMMA},
    {"alpha_gamma",
     ODONATA_AMG_DISTANCE | ODONATA_AMG_BANDWIDTH | ODONATA_AMG_ALPHA | ODONATA_AMG_GAMMA},
    {"only_bandwidth", ODONATA_AMG_BANDWIDTH},
    {"only_alpha", ODONATA_AMG_ALPHA},
    {"only_gamma", ODONATA_AMG_DISTANCE | ODONATA_AMG_GAMMA}};
constexpr Choice candidates[] = {{"powers", 0}, {"all", 1}};

// off, never, model, or a level and its number of groups.
void set_redistribute(Options& options, Text option, Text given) {
  constexpr Choice modes[] = {{"off", int(Redistribute::off)},
                              {"never", int(Redistribute::never)},
                              {"model", int(Redistribute::model)}};
  constexpr int most = 1'000'000'000;
  RedistributeOptions& wanted = options.redistribute;
  const std::size_t colon = given.find(':');
  if (colon == given.npos) {
    wanted.mode = Redistribute(choose(option, given, modes).code);
    return;
  }
  wanted.mode = Redistribute::forced;
  wanted.level = whole_number(option, given.substr(0, colon), 0, 100);
  wanted.groups = whole_number(option, given.substr(colon + 1), 1, most);
}

void set_model_flops(Options& options, Text option, Text given) {
  options.redistribute.measured_flops = given == "measured";
  options.redistribute.flop_seconds =
      given == "measured" ? std::vector<double>{} : times(option, given);
}

void set_phases(Options& options, Text option, Text given) {
  constexpr Choice answers[] = {{"no", 0}, {"yes", 1}};
  options.phases = choose(option, given, answers).code != 0;
}

std::string names(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) {
    if (!text.empty()) text += ", ";
    text += choice.name;
  }
  return text;
}

// The problem is a name or a file.
void set_problem(Options& options, Text option, Text given) {
  const bool file = given.ends_with(".mtx") || given.find('/') != given.npos;
  options.problem_name = given;
  options.problem = file ? Problem::matrix : Problem(choose(option, given, problems).code);
  if (options.problem != Problem::elasticity) return;
  options.functions = 3;
  options.strong_threshold = 0.5;
  options.aggressive_levels = 0;
}

struct Option {
  Text name, argument, help;
  void (*set)(Options&, Text name, Text value);
  std::span<const Choice> choices = {};  // named by the help after its own words
  std::size_t first = 0;                 // the default among them

  Text usual() const { return choices[first].name; }
};

constexpr Option known_options[] = {
    {"--problem", "NAME",
     "Laplacian of 7 or 27 points, an elastic beam, or a Matrix Market file (.mtx);", set_problem,
     problems},
    {"--points", "NxNxN", "grid points of each rank; default 50x50x25",
     [](Options& o, Text n, Text v) { o.points = triple(n, v), o.points_given = true; }},
    {"--elements", "N", "cubes along the short sides of the beam, a power of two; default 4",
     [](Options& o, Text n, Text v) {
       o.elements = whole_number(n, v, 1, 4096), o.elements_given = true;
       if (o.elements & (o.elements - 1))
         throw UsageError("--elements: not a power of two: " + std::string(v));
     }},
    {"--ranks-grid", "NxNxN",
     "ranks along x, y, z; default: a grid of points that is nearly a cube",
     [](Options& o, Text n, Text v) { o.ranks_grid = triple(n, v); }},
    {"--functions", "N", "unknowns of a point, one after the other in a file; default 1",
     [](Options& o, Text n, Text v) {
       o.functions = whole_number(n, v, 1, 1000), o.functions_given = true;
     }},
    {"--solver", "NAME", "Krylov solver; none: setup and cycles only;",
     [](Options& o, Text n, Text v) { o.solver = choose(n, v, solvers); }, solvers},
    {"--preconditioner", "NAME", "preconditioner of the solver;",
     [](Options& o, Text n, Text v) { o.preconditioner = choose(n, v, preconditioners); },
     preconditioners},
    {"--restart", "N", "vectors that GMRES keeps; default 10",
     [](Options& o, Text n, Text v) { o.restart = whole_number(n, v, 1, 1000); }},
    {"--tolerance", "X", "relative residual; default 1e-8",
     [](Options& o, Text n, Text v) { o.tolerance = real_number(n, v, 1e-16, 1.0); }},
    {"--max-iterations", "N", "largest number of iterations; default 1000",
     [](Options& o, Text n, Text v) { o.max_iterations = whole_number(n, v, 1, 1'000'000); }},
    {"--coarsening", "NAME", "coarsening algorithm;",
     [](Options& o, Text n, Text v) { o.coarsening = choose(n, v, coarsenings); }, coarsenings},
    {"--interpolation", "NAME", "interpolation operator;",
     [](Options& o, Text n, Text v) { o.interpolation = choose(n, v, interpolations); },
     interpolations},
    {"--max-elements", "N", "entries in a row of the interpolation, 0: all; default 4",
     [](Options& o, Text n, Text v) { o.max_elements = whole_number(n, v, 0, 1000); }},
    {"--aggressive-levels", "N", "levels that are coarsened aggressively; default 1",
     [](Options& o, Text n, Text v) { o.aggressive_levels = whole_number(n, v, 0, 100); }},
    {"--aggressive-interpolation", "NAME",
     "interpolation on these levels: multipass, or in two stages;",
     [](Options& o, Text n, Text v) {
       o.aggressive_interpolation = choose(n, v, aggressive_interpolations);
     },
     aggressive_interpolations},
    {"--strong-threshold", "X", "least strength of a strong connection; default 0.25",
     [](Options& o, Text n, Text v) { o.strong_threshold = real_number(n, v, 0.0, 1.0); }},
    {"--max-row-sum", "X", "largest row sum of a row with strong connections, 1: any; default 0.9",
     [](Options& o, Text n, Text v) { o.max_row_sum = real_number(n, v, 0.0, 1.0); }},
    {"--coarse-rows", "N", "largest level that is solved directly; default 9",
     [](Options& o, Text n, Text v) { o.coarse_rows = whole_number(n, v, 1, 100'000); }},
    {"--relaxation", "NAME", "relaxation; Gauss-Seidel goes forward down, backward up;",
     [](Options& o, Text n, Text v) { o.relaxation = choose(n, v, relaxations); }, relaxations},
    {"--relaxation-order", "NAME",
     "order of a sweep; cf: coarse points, then fine ones, with an exchange before each, as "
     "hypre's "
     "default was up to 2.11.1;",
     [](Options& o, Text n, Text v) { o.relaxation_order = choose(n, v, relaxation_orders); },
     relaxation_orders},
    {"--relaxation-weight", "X", "weight of the relaxation; default 1",
     [](Options& o, Text n, Text v) { o.relaxation_weight = real_number(n, v, 0.0, 2.0); }},
    {"--cycles", "N", "number of timed cycles, 0: none; default 10",
     [](Options& o, Text n, Text v) {
       o.cycles = whole_number(n, v, 0, 1'000'000), o.cycles_given = true;
     }},
    {"--flop-seconds", "T,T...",
     "time of a flop on level 0, 1, ... of the simulated machine, such as 1.59ns,0.806ns",
     [](Options& o, Text n, Text v) { o.flop_seconds = times(n, v); }},
    {"--redistribute", "MODE",
     "move a coarse level to fewer ranks: off, model (where it is faster), LEVEL:GROUPS, or never "
     "(levels are built one by one, and stay)",
     set_redistribute},
    {"--machine", "NAME", "machine, of `odonata machines` or a file (.toml), whose [model] decides",
     [](Options& o, Text, Text v) { o.redistribute.machine = v; }},
    {"--ranks-per-node", "N", "ranks on a node of that machine; default 1",
     [](Options& o, Text n, Text v) {
       o.redistribute.ranks_per_node = whole_number(n, v, 1, 1'000'000);
     }},
    {"--scenario", "NAME", "penalties of the model;",
     [](Options& o, Text n, Text v) { o.redistribute.scenario = choose(n, v, scenarios); },
     scenarios, 1},
    {"--alpha", "T", "time to start a message; default: from the machine file",
     [](Options& o, Text n, Text v) { o.redistribute.alpha = time(n, v); }},
    {"--beta", "T", "time of a value of 8 bytes; default: from the machine file",
     [](Options& o, Text n, Text v) { o.redistribute.beta = time(n, v); }},
    {"--gamma", "T", "time of a hop; default: from the machine file",
     [](Options& o, Text n, Text v) { o.redistribute.gamma = time(n, v); }},
    {"--hops", "N", "hops between the farthest nodes less hops between the nearest; Aries has 5",
     [](Options& o, Text n, Text v) { o.redistribute.hops = real_number(n, v, 0.0, 1000.0); }},
    {"--links", "N", "links that messages share, for the bandwidth penalty",
     [](Options& o, Text n, Text v) { o.redistribute.links = real_number(n, v, 1.0, 1e9); }},
    {"--peak-bandwidth", "X", "bandwidth of a node in B/s, for the bandwidth penalty",
     [](Options& o, Text n, Text v) {
       o.redistribute.peak_bandwidth = real_number(n, v, 1.0, 1e15);
     }},
    {"--model-flops", "T,T...",
     "time of a flop on level 0, 1, ..., or measured; default: from the machine file",
     set_model_flops},
    {"--cache", "SIZE", "cache of a rank, such as 2.5MiB; default: from the machine file",
     [](Options& o, Text n, Text v) { o.redistribute.cache = size(n, v); }},
    {"--least-gain", "X", "least gain that justifies a switch; default 0.05",
     [](Options& o, Text n, Text v) { o.redistribute.least_gain = real_number(n, v, 0.0, 1.0); }},
    {"--candidates", "NAME", "numbers of groups: powers of two, or all;",
     [](Options& o, Text n, Text v) { o.redistribute.candidates = choose(n, v, candidates); },
     candidates},
    {"--phases", "yes|no",
     "mark in a trace setup, solve and levels, and the operations of cycles; default no",
     set_phases},
    {"--matrix-output", "FILE",
     "write matrix and right-hand side as hypre does: FILE.00000, FILE.b.00000, ... by rank",
     [](Options& o, Text, Text v) { o.matrix_output = v; }},
    {"--output", "FILE",
     "file for the result as JSON, also -o, with a summary on standard output; default: standard "
     "output",
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

void check(const RedistributeOptions& redistribute, const Options& options) {
  if (!redistribute.is_on()) return;
  if (Preconditioner(options.preconditioner.code) != Preconditioner::amg)
    throw UsageError("--redistribute: needs --preconditioner amg");
  if (options.cycles_given && options.cycles > 0)
    throw UsageError("--cycles: only with --redistribute off");
  const bool numbers = redistribute.alpha && redistribute.beta;
  if (redistribute.mode == Redistribute::model && redistribute.machine.empty() && !numbers)
    throw UsageError("--redistribute: model needs --machine NAME, or --alpha and --beta");
}

// Throws where options contradict each other.
void check(const Options& options) {
  if (options.functions_given && options.problem != Problem::matrix && options.functions > 1)
    throw UsageError("--functions: only with a matrix from a file, not with " +
                     options.problem_name);
  if ((options.ranks_grid || options.points_given) && !options.has_ranks_grid())
    throw UsageError("--points, --ranks-grid: not with a matrix from a file, which has no grid");
  if (options.points_given && !options.is_laplacian())
    throw UsageError("--points: not with " + options.problem_name + ", which has --elements");
  if (options.elements_given && options.problem != Problem::elasticity)
    throw UsageError("--elements: only with --problem elasticity");
  const bool amg = Preconditioner(options.preconditioner.code) == Preconditioner::amg;
  if (Solver(options.solver.code) == Solver::none && !amg)
    throw UsageError("--solver: none needs --preconditioner amg");
  const bool counts = amg && (options.cycles > 0 || options.redistribute.is_on());
  if (!options.flop_seconds.empty() && !counts)
    throw UsageError("--flop-seconds: no cycle is timed (--preconditioner amg, --cycles 1)");
  check(options.redistribute, options);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  std::vector<std::pair<const Option*, std::string_view>> given;
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
    given.emplace_back(&option, equals == name.npos ? words[++i] : joined);
  }
  // The problem comes first, since defaults depend on it.
  std::stable_partition(given.begin(), given.end(),
                        [](const auto& one) { return one.first == &known_options[0]; });
  for (const auto& [option, value] : given) option->set(options, option->name, value);
  check(options);
  return options;
}

std::string help_text() {
  std::string text =
      "odonata-amg [options]: set up hypre's BoomerAMG, solve, time the cycle level by level.\n"
      "Writes one JSON document, which `odonata predict amg --hierarchy` reads.\n"
      "Its ranks are started by " ODONATA_AMG_MPIEXEC ", of hypre's MPI.\n\n";
  for (const Option& option : known_options) {
    std::string left = "  " + std::string(option.name) + " " + std::string(option.argument);
    left.resize(std::max<std::size_t>(left.size() + 1, 34), ' ');
    text += left + std::string(option.help);
    if (!option.help.empty() && !option.choices.empty()) text += " ";
    if (!option.choices.empty())
      text.append(names(option.choices)).append("; default ").append(option.usual());
    text += "\n";
  }
  return text;
}

}  // namespace odonata::amg
