// Bine trees (De Sensi et al., "Bine trees: enhancing collective operations by optimizing
// communication locality", SC 2025): butterflies and trees of recursive doubling with
// partners at the distances (1 - (-2)^(k+1)) / 3, a third less on average.
//
//     step                    0   1   2   3   4
//     distance                1  -1   3  -5  11    even ranks go up by it, odd ranks down
//
// Every rank, as seen from another one, has a number, whose bits say in which steps of a tree its
// block is passed on; see number().
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "odonata/workload/collective.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bine {

/// x modulo n, 0 or more.
[[nodiscard]] constexpr int mod(int x, int n) { return (x % n + n) % n; }

/// Steps among n ranks: ceil(log2 n).
[[nodiscard]] int steps(int ranks);
[[nodiscard]] bool power_of_two(int ranks);

/// Partner of a rank in a step; the distance grows with the step.
[[nodiscard]] int partner(int rank, int step, int ranks);

/// Number of a rank in the tree of rank 0, below 2^steps: its digits in base -2 as a Gray code, the
/// lowest digit first. Ranks whose numbers agree in the highest k bits are those among which a
/// block of the k-th step is spread. Where other counts than powers of two leave a choice, it is
/// the lowest number.
[[nodiscard]] int number(int rank, int ranks);

/// Step in which a rank other than 0 gets data from rank 0, through a tree whose distances grow
/// from step to step; -1 for rank 0. Powers of two.
[[nodiscard]] int reached_growing(int rank, int ranks);

/// The same where distances fall: step of the distance, from steps - 1 down to 0; `steps` for
/// rank 0. Powers of two.
[[nodiscard]] int reached_falling(int rank, int ranks);

/// Trees of these steps. Powers of two.
trees::Tree growing, falling;

/// First number of the window of `count` numbers that a number lies in.
[[nodiscard]] constexpr int window(int number, int count) { return number / count * count; }

/// Numbers of all ranks of a power of two.
struct Numbers {
  std::vector<int> of;    // [ranks] number of a rank
  std::vector<int> rank;  // [ranks] rank of a number

  explicit Numbers(int ranks);
};
[[nodiscard]] std::shared_ptr<const Numbers> numbers(const Rank& rank, int ranks);

/// Ranks that rank 0 reaches by a step from the largest distance down: [steps][...].
using Reached = std::vector<std::vector<int>>;
[[nodiscard]] std::shared_ptr<const Reached> reached(const Rank& rank);

/// Blocks on a ring that a rank has, as distances grow: even ranks get those above theirs in even
/// steps and those below in odd steps, odd ranks the other way round. Powers of two.
struct Stretch {
  int ranks;
  int rank;  // counted from the root of a tree
  int first = rank;
  int count = 1;
  int step = 0;

  /// First of the blocks that the partner of this step has.
  [[nodiscard]] int next() const {
    return mod(step % 2 == rank % 2 ? first + count : first - count, ranks);
  }
  void extend() {
    if (step % 2 != rank % 2) first = next();
    count *= 2;
    ++step;
  }
  /// Blocks up to the end of the ring, and from its start on.
  [[nodiscard]] Span to_end(const Call& call, Buffer buffer, int from) const {
    return call.blocks(buffer, from, std::min(from + count, ranks));
  }
  [[nodiscard]] Span from_start(const Call& call, Buffer buffer, int from) const {
    return call.blocks(buffer, 0, std::max(from + count - ranks, 0));
  }
};

/// Pieces of a buffer that lie one after the other, one for each rank.
struct Pieces {
  Buffer buffer;
  Blocks blocks;

  [[nodiscard]] Span of(int first, int last) const {
    return {buffer, blocks.start(first), blocks.start(last) - blocks.start(first)};
  }
  [[nodiscard]] Span of(int i) const { return of(i, i + 1); }
  [[nodiscard]] Bytes bytes() const { return blocks.start(blocks.count()); }
};

/// Copies of a rank's input in scratch: a piece for each rank.
[[nodiscard]] Pieces copied_to_scratch(Rank rank, const Call& call);

/// Each rank gets the sums of its own piece, piece by piece, from the smallest distance up. Even
/// numbers of ranks; received pieces lie in scratch from `received` on.
Task reduce_pieces(Rank rank, Pieces pieces, Bytes received);

/// Each rank gets the pieces of all, piece by piece, from the largest distance down. Even numbers
/// of ranks.
Task gather_pieces(Rank rank, Pieces pieces);

/// Each rank gets the sums of the piece with its number, pieces of half as many numbers a step.
/// Powers of two, counted from a root; received pieces lie in scratch from `received` on.
Task reduce_by_numbers(Rank rank, Pieces pieces, Bytes received, int root = 0);

/// Each rank gets the pieces of all, of which it has that with its number. Powers of two.
Task gather_by_numbers(Rank rank, Pieces pieces);

}  // namespace odonata::bine
