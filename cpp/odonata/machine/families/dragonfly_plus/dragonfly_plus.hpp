// Dragonfly+ (Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, HiPINEB 2017): cells in which
// leaves and spines are joined as in a fat tree, and global links between the spines of any two
// cells.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/families/dragonfly/dragonfly.hpp"

namespace odonata {

/// Parameters of a Dragonfly+. A cell has s h global ports; port k is on spine k / h. Ports are
/// cabled as in a dragonfly of these cells: copy c of the arrangement has ports c (g-1) to
/// c (g-1) + g-2. With h = g-1, spine c of a cell is joined to spine c of every other cell.
/// Link classes: 0 injection, 1 ejection, 2 local, 3 global.
struct DragonflyPlus {
  Basics basics;
  int cells = 0;                             // g
  std::vector<std::int32_t> leaves_per_cell;  // one number for all, or one for each
  int spines_per_cell = 0;                   // s
  int nodes_per_leaf = 0;                    // 0: leaf_of_node says where nodes are
  std::vector<std::int32_t> leaf_of_node;    // leaves are numbered through all cells
  int links_per_pair = 0;                    // of a leaf and a spine; 0: one
  int global_links_per_spine = 0;            // h
  int links_per_cell_pair = 0;               // 0: as many as the ports allow
  Arrangement arrangement = Arrangement::relative;
  LinkClass injection, ejection, local, global;
};

/// Throws UserError if a parameter is out of range or the ports don't suffice.
[[nodiscard]] Machine make_dragonfly_plus(const DragonflyPlus& parameters);

[[nodiscard]] const Declaration<DragonflyPlus>& declare_dragonfly_plus();

}  // namespace odonata
