// Properties of a machine's graph: connectivity, diameter, bisection, channels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// The least bandwidth between two halves of the machine.
///
/// Halves are made of whole groups, whose numbers differ by at most one; on a machine with one
/// group or none, of whole routers; on a machine with one router, of nodes, and then it is their
/// injection links that count. `exact` if no balanced split has less; else the value is the best
/// of a local search, so an upper bound.
struct Bisection {
  std::string parts;                     // "groups", "routers", "nodes", ...
  int count = 0;                         // of the parts, both halves together
  std::int64_t bytes_per_second = 0;     // [B/s] a direction
  std::int64_t links = 0;                // links cut, a direction
  bool exact = true;
};

struct ClassCount {
  std::string name;
  std::int64_t links = 0;     // directed
  std::int64_t vcs = 0;       // virtual channels a link
  std::int64_t channels = 0;  // links x vcs
};

struct Properties {
  bool connected = false;         // every router reaches every other
  int diameter = 0;               // most router-to-router links on a minimal route
  double mean_distance = 0;       // router-to-router links between two nodes, both uniform
  Bisection bisection;
  std::vector<ClassCount> classes;
};

/// Most parts for which all balanced splits are tried.
inline constexpr int most_parts_exact = 20;

/// Most routers of a machine without groups whose bisection is searched; beyond, it is left 0.
inline constexpr int most_parts_searched = 2'048;

[[nodiscard]] bool is_connected(const Machine& machine);
[[nodiscard]] Bisection find_bisection(const Machine& machine);
[[nodiscard]] Properties find_properties(const Machine& machine, const Routing& routing);

}  // namespace odonata
