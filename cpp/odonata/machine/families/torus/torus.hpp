// Torus: routers in a grid of any number of dimensions, each joined to its neighbours. A dimension
// is a ring or a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of a torus. Router (x, y, z, ...) has the number  x + X (y + Y (z + ...)), and node n
/// is on router n / nodes_per_router. Link classes: 0 injection, 1 ejection, then one for each
/// dimension, which has the dimension's name, then `<dimension>-far` for those with far links.
///
/// Link i along a dimension joins coordinates i - 1 and i; the last one of a ring, i = size, joins
/// the last coordinate to 0. It is a far one if i is a multiple of `far_every`.
struct Torus {
  Basics basics;
  std::vector<std::int32_t> sizes;  // X, Y, Z, ...
  int nodes_per_router = 0;
  std::vector<std::int32_t> wrap;                 // 1: a ring, 0: a line; empty: rings
  std::vector<std::int32_t> links_per_direction;  // between two neighbours; empty: one everywhere
  std::vector<std::int32_t> far_every;  // 0: no far links; empty: none anywhere
  LinkClass injection, ejection;
  std::vector<LinkClass> along;  // [dimensions, and those with far links]
};

/// Throws UserError unless the parameters fit each other.
void check_torus(const Torus& parameters);

/// The machine of checked parameters, whose nodes are on routers in this order.
[[nodiscard]] Machine build_torus(const Torus& parameters, const std::string& family,
                                  const std::vector<std::int32_t>& routers,
                                  std::vector<LinkClass> classes);

/// The declaration of `wrap`.
[[nodiscard]] Parameter wrap_about();

/// Throws UserError if a parameter is out of range or a dimension has no class of links.
[[nodiscard]] Machine make_torus(const Torus& parameters);

[[nodiscard]] const Declaration<Torus>& declare_torus();

}  // namespace odonata
