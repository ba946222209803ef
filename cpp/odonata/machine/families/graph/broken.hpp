// Machines of any family with links that failed or are slower: their routers keep numbers,
// positions and levels, and packets are routed as on a graph.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

struct Faults {
  std::vector<std::int32_t> lost;  // links between routers, both directions of each cable
  std::vector<std::pair<std::int32_t, std::int32_t>> classes;  // link, and its class from now on
  std::vector<LinkClass> added;  // classes behind the own ones of the machine
};

/// The machine with these faults, of the family graph without tables. Throws UserError if a number
/// is out of range or a class is of other links.
[[nodiscard]] Machine with_faults(const Machine& whole, const Faults& faults);

/// The part that each router is in: routers that links join have the number of the first of them.
[[nodiscard]] std::vector<std::int32_t> parts_of(const Machine& machine);

}  // namespace odonata
