// Loads of links under a communication matrix: which links the bytes between two nodes take.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "odonata/machine/routing.hpp"

namespace odonata {

/// A link, and the part of the bytes between two nodes that it carries.
struct LinkPart {
  std::int32_t link;
  float part;
};

/// Links between nodes. Between two routers, each of `routes` drawn minimal routes carries the same
/// part of the bytes.
class LinkParts {
 public:
  static constexpr int routes = 8;

  explicit LinkParts(const Machine& machine);

  /// Links between the routers of two nodes. It is valid until the next call.
  [[nodiscard]] std::span<const LinkPart> between(std::int32_t from_node, std::int32_t to_node);

  /// Calls `add(link, part)` for every link that a message between two nodes of a machine takes.
  template <class Add>
  void each(std::int32_t from_node, std::int32_t to_node, const Add& add) {
    if (from_node == to_node) return;
    add(machine_.injection(from_node), 1.0);
    for (const LinkPart& link : between(from_node, to_node))
      add(link.link, static_cast<double>(link.part));
    add(machine_.ejection(to_node), 1.0);
  }

  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  static constexpr std::size_t most_parts = 16'000'000;  // 128 MB; then it begins anew

  struct Row {
    std::size_t first, count;
  };

  const Machine& machine_;
  std::unique_ptr<Routing> routing_;
  std::unordered_map<std::uint64_t, Row> rows_;  // by pair of nodes
  std::vector<LinkPart> parts_;
};

}  // namespace odonata
