// Common parts of all machine families: the parameters of nodes and routers, and their checks.
//
// A family is one documented struct of parameters and one function that makes a Machine of it.
// Builders check everything before they allocate: a hostile count is refused, not tried.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

inline constexpr std::int64_t most_nodes = 2'000'000;
inline constexpr std::int64_t most_routers = 500'000;
inline constexpr std::int64_t most_links = 8'000'000;
inline constexpr std::int64_t most_groups = 2'048;
inline constexpr std::int64_t most_cores_per_node = 4'096;
inline constexpr std::int64_t most_ports_per_node = 64;
inline constexpr std::int64_t most_bytes_per_second = 1'000'000'000'000'000;  // 1 PB/s
inline constexpr Time longest_delay = picoseconds_per_second;                 // 1 s
inline constexpr Bytes most_buffer_bytes = 1'073'741'824;                     // 1 GiB

/// The parameters that every family has.
struct Basics {
  std::string name;
  int cores_per_node = 1;
  Time router_delay = 0;  // [ps] from a head at an input to the earliest start at an output
  Time node_latency = 0;  // [ps] of a message between two ranks of one node
  Rate node_bandwidth;    // [B/s] of a message between two ranks of one node
  Rate memory_bandwidth = {};  // [B/s] of all such messages of a node together; 0: none waits
  Ports ports = {};
};

/// Throws UserError unless low <= value <= high; `what` names the parameter.
void check_range(const std::string& what, std::int64_t value, std::int64_t low, std::int64_t high);

/// Throws UserError unless all parameters of the basics are in range.
void check_basics(const Basics& basics);

/// Throws UserError unless all parameters of the link class are in range.
void check_link_class(const std::string& name, const LinkClass& link_class);

/// Throws UserError unless a file's own classes of links have these names, in this order; `of`
/// names their owner.
void check_class_names(const std::vector<LinkClass>& classes, const std::vector<std::string>& names,
                       const std::string& of);

/// A machine with the basics and the family's name filled in, still without nodes and links.
[[nodiscard]] Machine begin_machine(const Basics& basics, const std::string& family);

/// `link_class` under the name that the family gives it.
[[nodiscard]] LinkClass named(const std::string& name, LinkClass link_class);

}  // namespace odonata
