// The dragonfly (Kim, Dally, Scott, Abts 2008): fully connected groups, global links among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Group that each global port of a group leads to (Hastings et al., CLUSTER 2015). Port k of
/// group i, 0 <= k < g - 1, leads to group
///
///     absolute   k                      below i, k + 1 from i on
///     relative   i + k + 1              (mod g)
///     circulant  i + k/2 + 1            (mod g) for even k,  i - (k+1)/2 for odd k
enum class Arrangement : std::uint8_t { absolute, relative, circulant };

/// The arrangement of that name; throws UserError.
[[nodiscard]] Arrangement arrangement_named(const std::string& name);

/// Group that port k of group i leads to, in a machine of g groups.
[[nodiscard]] int group_behind(Arrangement arrangement, int i, int k, int g);

/// The port of group `to` at the other end of port k of group i.
[[nodiscard]] int port_behind(Arrangement arrangement, int i, int k, int g);

/// Parameters of a dragonfly. Place q for a node is on router q / p, router r in group r / a; nodes
/// are numbered without the absent places. A group has
/// a h global ports; port k is on router k / h of the group. With several links a group pair,
/// copy c of the arrangement has ports c (g-1) to (c+1)(g-1) - 1; ports left over are unused.
/// Link classes: 0 injection, 1 ejection, 2 local, 3 global.
struct Dragonfly {
  Basics basics;
  int nodes_per_router = 0;         // p
  int routers_per_group = 0;        // a
  int global_links_per_router = 0;  // h
  int groups = 0;                   // g
  Arrangement arrangement = Arrangement::relative;
  int links_per_group_pair = 0;  // 0: as many as the ports allow
  std::vector<std::int32_t> absent_nodes;  // places without one
  LinkClass injection, ejection, local, global;
};

/// Throws UserError if a parameter is out of range or the ports don't suffice.
[[nodiscard]] Machine make_dragonfly(const Dragonfly& parameters);

[[nodiscard]] const Declaration<Dragonfly>& declare_dragonfly();

}  // namespace odonata
