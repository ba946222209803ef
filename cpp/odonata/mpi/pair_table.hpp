// The last message in flight between two ranks: MPI messages of a pair match in the order in
// which they were sent, though packets may overtake each other on the network.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "odonata/random/draws.hpp"

namespace odonata {

/// Open addressing with linear probing. A cell is the number of a message and nothing else: a table
/// for thousands of pairs stays in the cache, and who a message is between is asked for, as
/// `pair_of(message)`, only where cells are taken.
class PairTable {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  PairTable() : cells_(64, none) {}

  static std::uint64_t pair(std::int32_t from, std::int32_t to) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
           static_cast<std::uint32_t>(to);
  }

  /// Makes `message` the last of the pair; returns the previous message that is still in flight.
  template <class PairOf>
  std::uint32_t push(std::uint64_t pair, std::uint32_t message, PairOf pair_of) {
    if (4 * (size_ + 1) > cells_.size()) grow(pair_of);
    std::uint32_t& cell = cells_[find(pair, pair_of)];
    if (cell == none) ++size_;
    return std::exchange(cell, message);
  }

  /// The message has arrived; forgets the pair if it was its last.
  template <class PairOf>
  void pop(std::uint64_t pair, std::uint32_t message, PairOf pair_of) {
    const std::size_t mask = cells_.size() - 1;
    std::size_t hole = mix(pair) & mask;
    while (cells_[hole] != message) {
      if (cells_[hole] == none) return;
      hole = (hole + 1) & mask;
    }
    --size_;
    for (std::size_t i = (hole + 1) & mask; cells_[i] != none; i = (i + 1) & mask) {
      const std::size_t home = mix(pair_of(cells_[i])) & mask;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      cells_[hole] = cells_[i];
      hole = i;
    }
    cells_[hole] = none;
  }

 private:
  template <class PairOf>
  [[nodiscard]] std::size_t find(std::uint64_t pair, PairOf pair_of) const {
    const std::size_t mask = cells_.size() - 1;
    std::size_t i = mix(pair) & mask;
    while (cells_[i] != none && pair_of(cells_[i]) != pair) i = (i + 1) & mask;
    return i;
  }

  template <class PairOf>
  void grow(PairOf pair_of) {
    std::vector<std::uint32_t> old(2 * cells_.size(), none);
    old.swap(cells_);
    for (const std::uint32_t message : old)
      if (message != none) cells_[find(pair_of(message), pair_of)] = message;
  }

  std::vector<std::uint32_t> cells_;
  std::size_t size_ = 0;
};

}  // namespace odonata
