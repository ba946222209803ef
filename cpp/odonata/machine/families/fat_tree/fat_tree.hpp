// Fat trees: k-ary n-trees (Petrini and Vanneschi 1997), extended generalized fat trees (Öhring et
// al. 1995) and those with parallel links (Zahavi 2012), with tapers and several rails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of a fat tree of h levels of routers. Nodes have level 0, their leaves level 1.
///
///     down[l - 1]      children of a router of level l; of a leaf: nodes
///     up[l - 1]        parents of a router of level l < h
///     taper[l - 1]     links down for a link up, at level l < h; gives `up` where that is empty
///     parallel[l - 1]  links between a router of level l < h and each of its parents
///
/// so XGFT(h; m1, ..., mh; 1, w2, ..., wh) has down = m1, ..., mh and up = w2, ..., wh. Node n is
/// on leaf n / down[0]. With several rails each node has a router of its own, level 0, that stands
/// for its adapters, with a link to a leaf of each of so many trees side by side, its rails.
///
/// Link classes: 0 injection, 1 ejection, then `rail` if there are several, then uplink1, uplink2,
/// ...: links of both directions between level 1 and 2, 2 and 3, ...
struct FatTree {
  Basics basics;
  std::vector<std::int32_t> down, up, taper, parallel;
  int rails = 1;
  LinkClass injection, ejection;
  std::vector<LinkClass> cables;
};

/// Throws UserError if a parameter is out of range, a taper or a number of parallel links does not
/// divide the links that there are, or a level has no class of links.
[[nodiscard]] Machine make_fat_tree(const FatTree& parameters);

[[nodiscard]] const Declaration<FatTree>& declare_fat_tree();

}  // namespace odonata
