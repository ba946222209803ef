// The last message in flight between two ranks: MPI messages of a pair match in the order in
// which they were sent, though packets may overtake each other on the network.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/random/draws.hpp"

namespace odonata {

/// Open addressing with linear probing; holds only pairs with messages in flight.
class PairTable {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  PairTable() : cells_(64) {}

  /// Makes `message` the last of the pair; returns the one before it that is still in flight.
  std::uint32_t push(std::int32_t from, std::int32_t to, std::uint32_t message) {
    if (2 * (size_ + 1) > cells_.size()) grow();
    Cell& cell = cells_[find(key(from, to))];
    const std::uint32_t before = cell.message;
    if (before == none) ++size_;
    cell = {key(from, to), message};
    return before;
  }

  /// The message has arrived; forgets the pair if it was its last.
  void pop(std::int32_t from, std::int32_t to, std::uint32_t message) {
    std::size_t hole = find(key(from, to));
    if (cells_[hole].message != message) return;
    --size_;
    const std::size_t mask = cells_.size() - 1;
    for (std::size_t i = (hole + 1) & mask; cells_[i].message != none; i = (i + 1) & mask) {
      const std::size_t home = mix(cells_[i].key) & mask;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      cells_[hole] = cells_[i];
      hole = i;
    }
    cells_[hole].message = none;
  }

 private:
  struct Cell {
    std::uint64_t key = 0;
    std::uint32_t message = none;
  };

  static std::uint64_t key(std::int32_t from, std::int32_t to) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
           static_cast<std::uint32_t>(to);
  }

  [[nodiscard]] std::size_t find(std::uint64_t key) const {
    const std::size_t mask = cells_.size() - 1;
    std::size_t i = mix(key) & mask;
    while (cells_[i].message != none && cells_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    std::vector<Cell> old(2 * cells_.size());
    old.swap(cells_);
    for (const Cell& cell : old)
      if (cell.message != none) cells_[find(cell.key)] = cell;
  }

  std::vector<Cell> cells_;
  std::size_t size_ = 0;
};

}  // namespace odonata
