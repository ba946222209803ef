// Checks on lists of wires that a user or a file gave.
#pragma once

#include <string>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

/// Throws UserError naming the first wire that leads out of the machine, from a router to itself,
/// or has fewer wires of its class back than there.
void check_wires(const std::string& what, const std::vector<Wire>& wires, int num_routers);

/// Links between routers that only one of two machines has, per class of the first; links of one
/// class between the same two routers are alike. Both must have the same number of routers.
struct Difference {
  std::string link_class;
  int only_first = 0;   // directed links
  int only_second = 0;  // directed links
  int common = 0;       // directed links
};
[[nodiscard]] std::vector<Difference> compare_links(const Machine& first, const Machine& second);

}  // namespace odonata
