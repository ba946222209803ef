// HyperX (Ahn, Binkert, Davis, McLaren, Schreiber, SC 2009): routers in a grid of any number of
// dimensions, and along each dimension a link between any two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of a HyperX. Router (x, y, z, ...) has the number  x + X (y + Y (z + ...)), and node
/// n is on router n / nodes_per_router. Link classes: 0 injection, 1 ejection, then one for each
/// dimension, which has the dimension's name.
struct Hyperx {
  Basics basics;
  std::vector<std::int32_t> sizes;  // X, Y, Z, ...
  int nodes_per_router = 0;
  std::vector<std::int32_t> links_per_pair;  // of each dimension; empty: one everywhere
  LinkClass injection, ejection;
  std::vector<LinkClass> along;  // [dimensions]
};

/// Throws UserError if a parameter is out of range or a dimension has no class of links.
[[nodiscard]] Machine make_hyperx(const Hyperx& parameters);

[[nodiscard]] const Declaration<Hyperx>& declare_hyperx();

}  // namespace odonata
