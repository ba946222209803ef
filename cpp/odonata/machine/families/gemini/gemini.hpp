// Cray Gemini (XE6, XK7): a torus of three dimensions, with two nodes a router.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"
#include "odonata/machine/families/torus/torus.hpp"

namespace odonata {

/// Parameters of a Gemini machine: the torus of that name in most, and the order of its nodes.
///
/// Each of the two nodes of a router has a NIC of its own on it, so they share no injection link.
/// Tiles of the router run at the speed of their medium. Links along x are cables; links along y
/// join the two routers of a blade (mezzanine) or are cables; links along z are in the backplane of
/// a chassis or are cables. `y_cable_every` and `z_cable_every` say which are cables, as
/// `Torus::far_every` does.
///
/// Link classes: 0 injection, 1 ejection, 2 x, 3 y, 4 z, 5 y-cable, 6 z-cable (if z has cables).
struct Gemini {
  enum class NodeOrder : std::uint8_t { zigzag, grid };

  Basics basics;
  std::vector<std::int32_t> sizes;                // X, Y, Z
  std::vector<std::int32_t> wrap;                 // empty: rings
  std::vector<std::int32_t> links_per_direction;  // empty: 2, 1, 2
  int y_cable_every = 0, z_cable_every = 0;       // 0: no link of the class
  NodeOrder order = NodeOrder::zigzag;
  LinkClass injection, ejection, x, y, z, y_cable;
  std::vector<LinkClass> z_cable;  // one, if there are any
};

/// Throws UserError if a parameter is out of range.
[[nodiscard]] Machine make_gemini(const Gemini& parameters);

[[nodiscard]] const Declaration<Gemini>& declare_gemini();

/// All routers in the order in which Cray's launcher fills them: block after block of 4 x 2 x 8
/// (those at the end of an axis are smaller), and in each to and fro along z and on along x in the
/// first plane, and the same way back in the second. So neighbours in a block follow each other,
/// and its last router is next to its first. Blocks follow each other along y, to and fro, then
/// along z, then along x.
///
/// sizes: X, Y, Z
[[nodiscard]] std::vector<std::int32_t> zigzag(const std::vector<std::int32_t>& sizes);

}  // namespace odonata
