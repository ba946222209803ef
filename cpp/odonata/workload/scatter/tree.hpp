// Scatter along a tree that follows the machine.
//
// A tree lies in preorder: the subtree of position p is [p, p + size[p]), its children start at
// p + 1 and follow each other. So the blocks that a rank passes on are one stretch of scratch.
//
//     position    0  1  2  3  4  5  6
//     size        7  3  1  1  2  1  1      0 -> 1, 4, 6;  1 -> 2, 3;  4 -> 5
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "odonata/workload/algorithms.hpp"

namespace odonata::scatter {

struct Tree {
  std::vector<std::int32_t> order;     // [n] rank at each position
  std::vector<std::int32_t> position;  // [n] position of each rank
  std::vector<std::int32_t> size;      // [n] ranks of the subtree at each position
  std::vector<std::int32_t> parent;    // [n] position; 0 for the root

  explicit Tree(int ranks);
  /// Appends a rank below the rank at `parent`; returns its position.
  std::int32_t append(std::int32_t rank, std::int32_t parent);
  /// The subtree at this position is complete.
  void close(std::int32_t at) { size[index(at)] = static_cast<std::int32_t>(order.size()) - at; }

  static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
};

/// Ranks in order of place.
using Ranks = std::span<const std::int32_t>;

/// Calls `take` with every stretch of the ranks that are in one group (on one router).
void each_group(const Rank& rank, Ranks ranks, const std::function<void(Ranks)>& take);
void each_router(const Rank& rank, Ranks ranks, const std::function<void(Ranks)>& take);

/// Hangs the ranks below `parent`; the first is their leader and sends to the leaders of the
/// other routers, a router's leader to leaders of its other nodes, a node's to its other ranks.
void append_group(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t parent);
void append_router(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t parent);

/// The same below a leader that is in the tree already: the first of the ranks.
void append_rest_of_group(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t leader);
void append_rest_of_router(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t leader);

/// Packs at the root, passes on, unpacks: every rank starts the sends to its children in the
/// tree's order and waits for all of them.
Task along(Rank rank, Call call, std::shared_ptr<const Tree> tree);

}  // namespace odonata::scatter
