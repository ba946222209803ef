// Prices of a byte between two nodes: a first estimate of the gain of a swap.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/decide/link_loads.hpp"
#include "odonata/decide/nodes.hpp"

namespace odonata {

/// Prices of one more byte between two used nodes: the sum over its links. A price is added up when
/// it is first asked for, and kept until the links get other prices.
class PairPrices {
 public:
  static constexpr std::int32_t most_nodes = 4'096;  // the table takes 64 MB

  PairPrices(const SlotNodes& nodes, LinkParts& parts) : nodes_(nodes), parts_(parts) {}

  /// Sets the price of a byte on each link. [links]
  void set(std::vector<double> of_links);
  /// Whether there are so few nodes that prices are kept.
  [[nodiscard]] bool known() const { return nodes_.nodes() <= most_nodes; }

  /// Price of a byte from one used node to another.
  [[nodiscard]] double between(std::int32_t from, std::int32_t to) {
    if (from == to) return 0;
    float& price =
        of_pairs_[static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes_.nodes()) +
                  static_cast<std::size_t>(to)];
    if (price < 0) price = added_up(from, to);
    return static_cast<double>(price);
  }

 private:
  [[nodiscard]] float added_up(std::int32_t from, std::int32_t to);

  const SlotNodes& nodes_;
  LinkParts& parts_;
  std::vector<double> of_links_;  // [links]
  std::vector<float> of_pairs_;   // [nodes x nodes] negative: not yet known
};

}  // namespace odonata
