// Trees of ranks, down which data are sent and up which they are combined, as in Open MPI: in
// segments that follow one another.
// Ranks are counted from the root.
#pragma once

#include <vector>

#include "odonata/workload/chunks.hpp"
#include "odonata/workload/collective.hpp"

namespace odonata::trees {

/// Place of one rank in a tree.
struct Place {
  int parent = -1;            // rank of the communicator; -1: the root
  std::vector<int> children;  // in the order in which they are served
};

/// A tree of n ranks, as seen from one of them.
using Tree = Place(int ranks, int rank);

/// Rank r of level l (2^l <= r + 1 < 2^(l+1)) has the children r + 2^l and r + 2^(l+1): odd ranks
/// are below rank 1, even ones below rank 2.
Tree binary;

/// Numbers in order: the right child's subtree, the left child's, then the parent, which is the
/// last rank.
Tree in_order_binary;

/// Children at the distances 1, 2, 4, ... up to the lowest bit of a rank.
Tree binomial;

/// Children at the distances 2^k > r, the nearest first.
Tree binomial_growing;

/// Children at r digits' distances in base 4, the farthest first.
Tree four_nomial;

/// One chain, and four of which each has a quarter of the ranks.
Tree pipeline;
Tree four_chains;

/// The place of this rank in a tree, in ranks of the communicator.
[[nodiscard]] Place place_in(Tree tree, const Rank& rank, int root);

/// Sends data down: a segment is sent on to all children at once while the next one arrives.
Task send_down(Rank rank, Place place, Span data, Bytes segment);

/// Combines the ranks' inputs up into `sum`: the next message arrives while one is combined, each
/// in its half of scratch from `received` on.
Task combine_up(Rank rank, Place place, Span sum, Bytes segment, Bytes received);

/// A broadcast down a tree, and a reduction up a tree, in segments of the call's parameter.
Task broadcast(Rank rank, Call call, Tree tree);
Task reduce(Rank rank, Call call, Tree tree);

}  // namespace odonata::trees
