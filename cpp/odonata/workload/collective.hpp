// Collective operations: what a call is, which algorithms there are, and which one to take.
//
// Buffers, with n ranks and b = Call::bytes; b_i is the block of rank i in the v forms, whose
// blocks lie one after the other:
//
//     operation             input                      output
//     allgather             [0, b)                     [0, n b)   block of rank i at i b
//     allgatherv            [0, b_me)                  all b_i
//     scatter               root: [0, n b)             [0, b)
//     scatterv              root: all b_i              [0, b_me)
//     gather                [0, b)                     root: [0, n b)
//     gatherv               [0, b_me)                  root: all b_i
//     bcast                 root: [0, b)               [0, b)     the root's too
//     reduce                [0, b)                     root: [0, b)
//     allreduce             [0, b)                     [0, b)
//     reduce_scatter_block  [0, n b)                   [0, b)     the sum of all blocks `me`
//     reduce_scatter        all b_i                    [0, b_me)
//     scan                  [0, b)                     [0, b)     the sum of ranks 0 to `me`
//     exscan                [0, b)                     [0, b)     of those before; rank 0: nothing
//     alltoall              [0, n b)                   [0, n b)   for rank i, from rank i
//     alltoallv             what goes to each rank     what comes from each rank
//     neighbor_allgather    [0, b)                     what comes from each source
//     neighbor_alltoall     what goes to each neighbour  what comes from each source
//     barrier               -                          -
//
// `scratch` is the algorithm's own, as long as it likes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "odonata/mpi/rank.hpp"

namespace odonata {

/// Sizes of blocks that lie one after the other.
class Blocks {
 public:
  Blocks() = default;
  /// Of any integers [B].
  template <class Sizes>
  explicit Blocks(const Sizes& sizes) {
    starts_.reserve(std::size(sizes) + 1);
    for (const auto size : sizes) push_back(static_cast<Bytes>(size));
  }
  void push_back(Bytes size) { starts_.push_back(starts_.back() + size); }

  [[nodiscard]] int count() const { return static_cast<int>(starts_.size()) - 1; }
  /// [B] before block i.
  [[nodiscard]] Bytes start(int i) const { return starts_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Bytes> starts_{0};  // [count + 1]
};

/// Blocks of one rank's call that are not all alike, and who its neighbours are.
struct Counts {
  Blocks blocks;  // each rank's; alltoallv: to each rank; neighbor_alltoall: to each destination
  Blocks from;    // alltoallv: from each rank; neighbor_*: from each source
  std::vector<int> sources;       // neighbor_*
  std::vector<int> destinations;  // neighbor_*
};

/// One rank's call. Without `counts` all blocks have `bytes`, and the neighbours are those on a
/// ring: the rank below and the one above.
struct Call {
  Bytes bytes = 0;  // [B] a block, see above; gatherv, scatterv: this rank's
  int root = 0;
  const Counts* counts = nullptr;  // outlives the call; gatherv, scatterv: the root's only

  /// Where blocks first <= i < last are in a buffer.
  [[nodiscard]] Span blocks(Buffer buffer, int first, int last) const {
    return stretch(counts ? &counts->blocks : nullptr, buffer, first, last);
  }
  [[nodiscard]] Span block(Buffer buffer, int i) const { return blocks(buffer, i, i + 1); }
  /// Where the block that comes from rank, or source, i is.
  [[nodiscard]] Span from(Buffer buffer, int i) const {
    return stretch(counts ? &counts->from : nullptr, buffer, i, i + 1);
  }

 private:
  [[nodiscard]] Span stretch(const Blocks* sizes, Buffer buffer, int first, int last) const {
    const Bytes start = sizes ? sizes->start(first) : first * bytes;
    return {buffer, start, (sizes ? sizes->start(last) : last * bytes) - start};
  }
};

/// What all ranks of one run send together.
struct Sent {
  static constexpr Bytes unknown = -1;

  std::int64_t messages = 0;
  Bytes bytes = unknown;  // [B] unknown: no simple formula
};

/// One algorithm of one operation, named as on the command line: allgather/ring.
struct Algorithm {
  std::string operation;
  std::string name;
  std::string summary;  // one sentence: how, with how many messages, from where
  std::function<Task(Rank, Call)> run;
  /// What so many ranks send in a call whose blocks are all alike: see sent.hpp.
  std::function<Sent(int ranks, Bytes block, int root)> sent{};
};

/// All algorithms, by operation and name (algorithms.cpp).
[[nodiscard]] const std::vector<Algorithm>& algorithms();

/// Point-to-point patterns under the same kind of name: pingpong/pairs. They leave no result that
/// could be right or wrong, so they are not among the algorithms.
[[nodiscard]] const std::vector<Algorithm>& point_to_point_patterns();

/// The algorithm or pattern of that name; throws UserError with the known algorithms.
[[nodiscard]] const Algorithm& algorithm(const std::string& operation, const std::string& name);

/// Sizes at which MPICH changes its mind, by the default values of its control variables
/// (MPIR_CVAR_...) and the order of its tests, as its sources in src/mpi/coll have them from 3.1
/// on. A threshold written < excludes the value itself.
///
///     allgather, < doubling_total for powers of two: recursive_doubling; < bruck_total: bruck;
///     allgatherv else ring                          ALLGATHER_LONG_MSG_SIZE, _SHORT_MSG_SIZE
///     alltoall   <= bruck_block from bruck_ranks on: bruck; <= scattered_block: scattered;
///                else pairwise                      ALLTOALL_SHORT_MSG_SIZE, _MEDIUM_MSG_SIZE
///     allreduce  <= doubling, or fewer values than the largest power of two of ranks:
///                recursive_doubling; else reduce_scatter_allgather
///                                                   ALLREDUCE_SHORT_MSG_SIZE
///     reduce     <= binomial, or fewer values than the largest power of two of ranks: binomial;
///                else reduce_scatter_gather         REDUCE_SHORT_MSG_SIZE
///     reduce_scatter, reduce_scatter_block
///                < halving_total: recursive_halving; else pairwise
///                               REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE (3.1: REDSCAT_...)
///     bcast      < binomial, or fewer ranks than binomial_ranks: binomial;
///                else scatter_allgather             BCAST_SHORT_MSG_SIZE, BCAST_MIN_PROCS
///
/// One algorithm, whatever the size: scatter, gather: binomial; scatterv, gatherv, neighbor_*:
/// linear; alltoallv: scattered; scan, exscan: recursive_doubling; barrier: dissemination.
///
/// Not modelled: MPICH gathers by recursive doubling in a bcast of under 512 KiB over a power of
/// two of ranks, sends synchronously in a gatherv of 32 ranks or more, combines otherwise where an
/// operator does not commute, and treats the ranks of a node apart in bcast, reduce, allreduce,
/// scan and barrier.
struct Selection {
  Bytes allgather_doubling_total = 512 * 1024;  // [B] of the result, counts that are powers of two
  Bytes allgather_bruck_total = 80 * 1024;  // [B] of the result
  Bytes alltoall_bruck_block = 256;  // [B] a pair
  int alltoall_bruck_ranks = 8;
  Bytes alltoall_scattered_block = 32 * 1024;  // [B] a pair
  Bytes allreduce_doubling = 2048;  // [B]
  Bytes allreduce_value = 8;  // [B] an element; of reduce, too
  Bytes reduce_binomial = 2048;  // [B]
  Bytes reduce_scatter_halving_total = 512 * 1024;  // [B] of all blocks
  Bytes bcast_binomial = 12 * 1024;  // [B]
  int bcast_binomial_ranks = 8;
};

/// The algorithm that `auto` stands for.
[[nodiscard]] std::string select(const Selection& thresholds, const std::string& operation,
                                 int ranks, const Call& call);

}  // namespace odonata
