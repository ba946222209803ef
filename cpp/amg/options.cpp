#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <sstream>
#include <vector>

namespace odonata::amg {
namespace {

constexpr Choice problems[] = {{"laplace", int(Problem::laplace)},
                               {"laplace27", int(Problem::laplace27)}};
constexpr Choice solvers[] = {{"pcg", int(Solver::pcg)}, {"gmres", int(Solver::gmres)}};
constexpr Choice preconditioners[] = {{"amg", int(Preconditioner::amg)},
                                      {"diagonal", int(Preconditioner::diagonal)}};
// Numbers of hypre's.
constexpr Choice coarsenings[] = {{"hmis", 10}, {"pmis", 8}, {"falgout", 6}, {"cljp", 0}};
constexpr Choice interpolations[] = {
    {"extended+i", 6}, {"extended", 14}, {"classical", 0}, {"direct", 3}, {"multipass", 4}};
constexpr Choice relaxations[] = {
    {"hybrid-gauss-seidel", 3}, {"l1-gauss-seidel", 13}, {"symmetric-gauss-seidel", 6}};

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// ": unknown (did you mean x?)", then what there is.
std::string unknown(std::string_view what, std::span<const std::string_view> known) {
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
    return distance(what, a) < distance(what, b);
  });
  std::string text = ": unknown: " + std::string(what);
  if (distance(what, *nearest) <= 1 + what.size() / 4)
    text += " (did you mean " + std::string(*nearest) + "?)";
  text += "; allowed: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i ? ", " : "") + std::string(known[i]);
  return text;
}

Choice choose(std::string_view option, std::string_view given, std::span<const Choice> choices) {
  std::vector<std::string_view> names;
  for (const Choice& choice : choices) {
    if (choice.name == given) return choice;
    names.push_back(choice.name);
  }
  throw UsageError(std::string(option) + unknown(given, names));
}

template <class Number>
Number number(std::string_view option, std::string_view given, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error == std::errc{} && end == given.data() + given.size() && value >= least && value <= most)
    return value;
  std::ostringstream text;
  text << option << ": not a number, or out of range: " << given << "; allowed: " << least << " to "
       << most;
  throw UsageError(text.str());
}

Triple triple(std::string_view option, std::string_view given) {
  constexpr int most = 100'000;
  Triple sides{};
  std::string_view rest = given;
  for (int& side : sides) {
    const std::size_t end = rest.find('x');
    const bool last = &side == &sides.back();
    if ((end == rest.npos) != last)
      throw UsageError(std::string(option) +
                       ": not three numbers such as 50x50x25: " + std::string(given));
    side = number(option, rest.substr(0, end), 1, most);
    rest = last ? "" : rest.substr(end + 1);
  }
  return sides;
}

struct Option {
  std::string_view name, argument, help;
  void (*set)(Options&, std::string_view name, std::string_view value);
};

using Text = std::string_view;

constexpr Option known_options[] = {
    {"--problem", "NAME", "laplace: 7 points; laplace27: 27 points",
     [](Options& o, Text n, Text v) { o.problem = choose(n, v, problems); }},
    {"--points", "NxNxN", "grid points of each rank; default 50x50x25",
     [](Options& o, Text n, Text v) { o.points = triple(n, v); }},
    {"--ranks-grid", "NxNxN", "ranks along x, y, z; default: near to a cube of points",
     [](Options& o, Text n, Text v) { o.ranks_grid = triple(n, v); }},
    {"--solver", "NAME", "pcg, gmres; default pcg",
     [](Options& o, Text n, Text v) { o.solver = choose(n, v, solvers); }},
    {"--preconditioner", "NAME", "amg, diagonal; default amg",
     [](Options& o, Text n, Text v) { o.preconditioner = choose(n, v, preconditioners); }},
    {"--restart", "N", "vectors that GMRES keeps; default 10",
     [](Options& o, Text n, Text v) { o.restart = number(n, v, 1, 1000); }},
    {"--tolerance", "X", "relative residual; default 1e-8",
     [](Options& o, Text n, Text v) { o.tolerance = number(n, v, 1e-16, 1.0); }},
    {"--max-iterations", "N", "default 1000",
     [](Options& o, Text n, Text v) { o.max_iterations = number(n, v, 1, 1'000'000); }},
    {"--coarsening", "NAME", "hmis, pmis, falgout, cljp; default hmis",
     [](Options& o, Text n, Text v) { o.coarsening = choose(n, v, coarsenings); }},
    {"--interpolation", "NAME",
     "extended+i, extended, classical, direct, multipass; default extended+i",
     [](Options& o, Text n, Text v) { o.interpolation = choose(n, v, interpolations); }},
    {"--max-elements", "N", "entries a row of the interpolation, 0: all; default 4",
     [](Options& o, Text n, Text v) { o.max_elements = number(n, v, 0, 1000); }},
    {"--aggressive-levels", "N", "levels coarsened aggressively, with multipass; default 1",
     [](Options& o, Text n, Text v) { o.aggressive_levels = number(n, v, 0, 100); }},
    {"--strong-threshold", "X", "of connections; default 0.25",
     [](Options& o, Text n, Text v) { o.strong_threshold = number(n, v, 0.0, 1.0); }},
    {"--relaxation", "NAME",
     "hybrid-gauss-seidel, l1-gauss-seidel (each forward down, backward up), "
     "symmetric-gauss-seidel",
     [](Options& o, Text n, Text v) { o.relaxation = choose(n, v, relaxations); }},
    {"--cycles", "N", "cycles that are timed, 0: none; default 10",
     [](Options& o, Text n, Text v) { o.cycles = number(n, v, 0, 1'000'000); }},
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
  return options;
}

std::string help_text() {
  std::string text =
      "odonata-amg [options]: set up hypre's BoomerAMG, solve, time the cycle level by level.\n"
      "Writes one JSON document, which `odonata predict amg --hierarchy` reads.\n\n";
  for (const Option& option : known_options) {
    std::string left = "  " + std::string(option.name) + " " + std::string(option.argument);
    left.resize(std::max<std::size_t>(left.size() + 1, 28), ' ');
    text += left + std::string(option.help) + "\n";
  }
  return text;
}

}  // namespace odonata::amg
