// Loads of links under a communication matrix: which links the bytes between two nodes take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// A link, and the part of the bytes between two nodes that it carries.
struct LinkPart {
  std::int32_t link;
  float part;
};

/// Links between nodes. Between two routers, each of `routes` drawn minimal routes carries the same
/// part of the bytes. Nodes whose routes depend on their routers alone share drawn routes.
class LinkParts {
 public:
  static constexpr int routes = 8;

  explicit LinkParts(const Machine& machine);

  /// Links between the routers of two ports. It is valid until the next call.
  [[nodiscard]] std::span<const LinkPart> between(std::int32_t from_port, std::int32_t to_port);

  /// Calls `add(link, part)` for every link that messages between two nodes of a machine take:
  /// equal parts of them from each port of a node to the same port of another; where one has more
  /// ports, the other's take turns.
  template <class Add>
  void each(std::int32_t from_node, std::int32_t to_node, const Add& add) {
    if (from_node == to_node) return;
    const int here = machine_.ports_of(from_node), there = machine_.ports_of(to_node);
    const int pairs = std::max(here, there);
    const double share = 1.0 / pairs;
    for (int i = 0; i < pairs; ++i) {
      const std::int32_t from = machine_.port(from_node, i % here);
      const std::int32_t to = machine_.port(to_node, i % there);
      add(machine_.injection(from), share);
      for (const LinkPart& link : between(from, to))
        add(link.link, share * static_cast<double>(link.part));
      add(machine_.ejection(to), share);
    }
  }

  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  static constexpr std::size_t most_parts = 32'000'000;  // 256 MB; then it begins anew

  struct Ends {
    std::int32_t from, to;  // routers
    std::uint64_t nodes;    // further dependence of the route
    friend bool operator==(const Ends& a, const Ends& b) {
      return a.from == b.from && a.to == b.to && a.nodes == b.nodes;
    }
    [[nodiscard]] std::uint64_t bits() const {
      return (static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to)) ^ mix(nodes);
    }
  };
  struct Hash {
    std::size_t operator()(const Ends& ends) const { return mix(ends.bits()); }
  };
  struct Row {
    std::size_t first, count;
  };

  const Machine& machine_;
  std::unique_ptr<Routing> routing_;
  std::unordered_map<Ends, Row, Hash> rows_;
  std::vector<LinkPart> parts_;
};

}  // namespace odonata
