// A machine as the engines see it: nodes, routers, directed links with classes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

/// Common properties of all links of one class.
struct LinkClass {
  std::string name;        // "injection", "ejection", "local", "global", "green", ...
  Rate bandwidth;          // [B/s] a direction
  Time latency = 0;        // [ps] of the wire; the router's own delay is Machine::router_delay
  Bytes buffer_bytes = 0;  // [B] a virtual channel, at the downstream end
  Time credit_delay = 0;   // [ps] from the tail leaving a buffer to the sender knowing it
};

struct Link {
  std::int32_t from = 0;  // router (node, for an injection link)
  std::int32_t to = 0;    // router (node, for an ejection link)
  std::int32_t link_class = 0;
};

/// A level of locality: blocks of routers that are nearer to each other than to all others.
struct Level {
  std::string name;                     // of one block: "chassis", "group", "pod"
  int count = 0;                        // blocks
  std::vector<std::int32_t> of_router;  // [num_routers] block of each router
};

class Topology;

/// A machine. Nodes, routers and links are numbered from 0; links are laid out as
///
///     [0, N)          injection link of node n is link n
///     [N, 2N)         ejection link of node n is link N + n
///     [2N, ...)       router to router, sorted by source: first_link[r] .. first_link[r+1]
struct Machine {
  std::string name;
  std::string family;
  int cores_per_node = 1;
  Time router_delay = 0;  // [ps] from a head at an input to the earliest start at an output
  Time node_latency = 0;  // [ps] of a message between two ranks of one node
  Rate node_bandwidth;    // [B/s] of a message between two ranks of one node
  Rate memory_bandwidth = {};  // [B/s] of all such messages of a node together; 0: none waits
  std::vector<LinkClass> classes;
  std::vector<std::int32_t> node_router;  // [num_nodes]
  std::vector<Link> links;                // [num_links]
  std::vector<std::int32_t> first_link;   // [num_routers + 1]
  std::vector<Level> levels;              // from near to far, between the router and the machine
  std::shared_ptr<const Topology> topology;  // the family's knowledge of it

  [[nodiscard]] int num_nodes() const { return static_cast<int>(node_router.size()); }
  [[nodiscard]] int num_routers() const { return static_cast<int>(first_link.size()) - 1; }
  [[nodiscard]] int num_links() const { return static_cast<int>(links.size()); }
  [[nodiscard]] int injection(int node) const { return node; }
  [[nodiscard]] int ejection(int node) const { return num_nodes() + node; }
  [[nodiscard]] const LinkClass& class_of(int link) const {
    return classes[links[static_cast<std::size_t>(link)].link_class];
  }
  [[nodiscard]] bool ejects(int link) const {
    return link >= num_nodes() && link < 2 * num_nodes();
  }
  /// Latency of a link, and the delay of the router behind it [ps].
  [[nodiscard]] Time hop_delay(int link) const {
    return class_of(link).latency + (ejects(link) ? 0 : router_delay);
  }
  /// Number of groups, the blocks of the farthest level; 0 on machines without levels.
  [[nodiscard]] int num_groups() const { return levels.empty() ? 0 : levels.back().count; }
  /// Group of a router, 0 on machines without levels.
  [[nodiscard]] int group_of(int router) const {
    return levels.empty() ? 0 : levels.back().of_router[router];
  }
};

/// A router-to-router cable in one direction, as a builder hands it over.
struct Wire {
  std::int32_t from, to, link_class;
};

/// Lays out node and router links in Machine's order; keeps the order of equal sources.
void connect(Machine& machine, std::vector<std::int32_t> node_router, int num_routers,
             std::vector<Wire> wires, int injection_class, int ejection_class);

/// The level whose blocks are `size` routers in a row.
[[nodiscard]] Level level_of_blocks(const std::string& name, int num_routers, int size);

}  // namespace odonata
