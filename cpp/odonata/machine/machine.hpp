// A machine as the engines see it: nodes, routers, directed links with classes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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

  /// Is it a class of links between nodes and routers? Their names are "injection" and "ejection",
  /// or begin so where nodes have links of several kinds: "injection-4xEDR".
  [[nodiscard]] bool of_nodes() const { return injects() || ejects(); }
  [[nodiscard]] bool injects() const { return begins("injection"); }
  [[nodiscard]] bool ejects() const { return begins("ejection"); }

 private:
  [[nodiscard]] bool begins(std::string_view word) const {
    return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '-');
  }
};

struct Link {
  std::int32_t from = 0;  // router (node, for an injection link)
  std::int32_t to = 0;  // router (node, for an ejection link)
  std::int32_t link_class = 0;
};

/// Ports of each node: where they are, and which one a message takes.
struct Ports {
  /// Ports of the ranks of a job on a node: equal blocks of ranks a port, ranks in turn, or the
  /// first port for all.
  enum class Binding : std::uint8_t { blocks, round_robin, first };

  int per_node = 1;  // the most of a node, where nodes have different numbers
  int routers = 1;  // of a block, in a row: the ports are on the block's routers in turn
  Binding binding = Binding::blocks;
  Bytes stripe_from = any_size;  // [B] messages of this size and longer ones are cut

  /// Is a message of this size cut into a part for each port?
  [[nodiscard]] bool cuts(Bytes bytes) const { return bytes >= stripe_from; }
  /// The port of the rank `at` of `ranks` of a job on a node that has `count` ports.
  [[nodiscard]] int of_rank(int at, int ranks, int count) const {
    if (binding == Binding::first) return 0;
    if (binding == Binding::round_robin) return at % count;
    return static_cast<int>(std::int64_t{at} * count / ranks);
  }
};

/// "blocks", "round-robin" or "first"; throws UserError for others.
[[nodiscard]] Ports::Binding binding_named(const std::string& name);

/// A level of locality: blocks of routers that are nearer to each other than to all others.
struct Level {
  std::string name;  // of one block: "chassis", "group", "pod"
  int count = 0;  // blocks
  std::vector<std::int32_t> of_router;  // [num_routers] block of each router
};

class Topology;

/// A machine. Nodes, routers and links are numbered from 0; the ports (NICs) of a node follow each
/// other, and port i of node n is port n * ports_per_node + i where all nodes have as many. Links
/// are laid out as
///
///     [0, P)          injection link of port p is link p
///     [P, 2P)         ejection link of port p is link P + p
///     [2P, ...)       router to router, sorted by source: first_link[r] .. first_link[r+1]
struct Machine {
  std::string name;
  std::string family;
  int cores_per_node = 1;
  Time router_delay = 0;  // [ps] from a head at an input to the earliest start at an output
  Time node_latency = 0;  // [ps] of a message between two ranks of one node
  Rate node_bandwidth;  // [B/s] of a message between two ranks of one node
  Rate memory_bandwidth = {};  // [B/s] of all such messages of a node together; 0: none waits
  std::vector<LinkClass> classes;
  Ports ports;
  std::vector<std::int32_t> first_port;  // [num_nodes + 1]; empty: all nodes have as many ports
  std::vector<std::int32_t> node_router;  // [num_nodes] of the node's first port
  std::vector<std::int32_t> port_router;  // [num_ports]
  std::vector<Link> links;  // [num_links]
  std::vector<std::int32_t> first_link;  // [num_routers + 1]
  std::vector<Level> levels;  // from near to far, between the router and the machine
  std::shared_ptr<const Topology> topology;  // the family's knowledge of it

  [[nodiscard]] int num_nodes() const { return static_cast<int>(node_router.size()); }
  [[nodiscard]] int num_routers() const { return static_cast<int>(first_link.size()) - 1; }
  [[nodiscard]] int num_links() const { return static_cast<int>(links.size()); }
  [[nodiscard]] int num_ports() const { return static_cast<int>(port_router.size()); }
  [[nodiscard]] int port(int node, int at = 0) const {
    return (first_port.empty() ? node * ports.per_node : first_port[node]) + at;
  }
  /// Number of ports of a node.
  [[nodiscard]] int ports_of(int node) const { return port(node + 1) - port(node); }
  [[nodiscard]] int node_of(int port) const {
    return first_port.empty() ? port / ports.per_node : links[static_cast<std::size_t>(port)].from;
  }
  [[nodiscard]] int injection(int port) const { return port; }
  [[nodiscard]] int ejection(int port) const { return num_ports() + port; }
  [[nodiscard]] const LinkClass& class_of(int link) const {
    return classes[links[static_cast<std::size_t>(link)].link_class];
  }
  [[nodiscard]] bool ejects(int link) const {
    return link >= num_ports() && link < 2 * num_ports();
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

/// Lays out node and router links in Machine's order; keeps the order of equal sources. The levels
/// of the machine are there. Throws UserError if the ports of a node do not fit its routers.
void connect(Machine& machine, std::vector<std::int32_t> node_router, int num_routers,
             std::vector<Wire> wires, int injection_class, int ejection_class);

/// A port of a node, as a builder hands it over: its router, and the classes of its links.
struct NodePort {
  std::int32_t router, injection_class, ejection_class;
};

/// The same for ports that each have a router of their own; `first_port` of the machine says whose
/// they are.
void connect_ports(Machine& machine, const std::vector<NodePort>& ports, int num_routers,
                   std::vector<Wire> wires);

/// The level whose blocks are `size` routers in a row.
[[nodiscard]] Level level_of_blocks(const std::string& name, int num_routers, int size);

}  // namespace odonata
