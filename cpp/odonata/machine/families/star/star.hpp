// The star: one router, all nodes on it: the cost of a network without links.
#pragma once

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of a star. Link classes: 0 injection, 1 ejection.
struct Star {
  Basics basics;
  int nodes = 0;
  LinkClass injection, ejection;
};

/// Throws UserError if a parameter is out of range.
[[nodiscard]] Machine make_star(const Star& parameters);

[[nodiscard]] const Declaration<Star>& declare_star();

}  // namespace odonata
