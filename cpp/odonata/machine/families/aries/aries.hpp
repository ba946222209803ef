// Cray Aries (XC30, XC40): groups of 6 chassis with 16 slots, a router a slot.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// Parameters of an Aries machine. Router (group, row = chassis of the group, column = slot).
///
/// Green links join the routers of a row, three black links each two routers of a column. Blue
/// links join groups, by a rule that meets Edison's published wiring in every link:
///
///     The routers of a group stand in an order: columns 0 and 1 first, row by row, then columns
///     2 and 3, and so on. Each group pair takes the next n = ceil(B/2) routers in the order of
///     both its groups, group i serving its peers 0, 1, ... in turn, round and round: the t-th
///     router pair of groups i and j is router  n k + t  (mod routers a group) of either order,
///     k the position of the peer among the other groups. Each router pair has two of the B links
///     (the last one if B is odd).
///
/// Node slots fill up router by router; routers named in `service_routers` have none (their
/// blades carry service nodes), and if `nodes` is below the number of slots the last stay empty.
/// Link classes: 0 injection, 1 ejection, 2 green, 3 black, 4 blue.
struct Aries {
  static constexpr int blue_ports_per_router = 10;

  Basics basics;
  int groups = 0;
  int rows = 6;
  int columns = 16;
  int nodes_per_router = 4;
  int black_links_per_router_pair = 3;
  int blue_links_per_group_pair = 0;              // B; 0 with `blue_links` or one group
  int nodes = 0;                                  // 0: all slots
  std::vector<std::int32_t> service_routers;      // routers without compute nodes
  std::vector<Wire> blue_links;  // instead of the rule: every direction, any class
  LinkClass injection, ejection, green, black, blue;
};

/// Throws UserError if a parameter is out of range or a blue link has no reverse.
[[nodiscard]] Machine make_aries(const Aries& parameters);

[[nodiscard]] const Declaration<Aries>& declare_aries();

/// The blue links of the rule, both directions, by source group.
[[nodiscard]] std::vector<Wire> blue_links_by_rule(const Aries& parameters);

}  // namespace odonata
