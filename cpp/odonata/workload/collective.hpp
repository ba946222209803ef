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

/// Sizes of blocks that are not all alike, and who the neighbours are; a rank's own.
struct Counts {
  std::vector<Bytes> blocks;  // [B] each rank's; alltoallv: to each; neighbor_alltoall: the same
  std::vector<Bytes> from;    // [B] alltoallv: from each rank; neighbor_*: from each source
  std::vector<int> sources;       // neighbor_*
  std::vector<int> destinations;  // neighbor_*
};

/// One rank's call. Without `counts` all blocks have `bytes`, and the neighbours are those on a
/// ring: the rank below and the one above.
struct Call {
  Bytes bytes = 0;  // [B] a block, see above; gatherv, scatterv: this rank's
  int root = 0;
  const Counts* counts = nullptr;  // outlives the call; gatherv, scatterv: the root's only

  /// [B] of rank i's block, or of what goes to rank i.
  [[nodiscard]] Bytes block(int i) const {
    return counts ? counts->blocks[static_cast<std::size_t>(i)] : bytes;
  }
  /// [B] of what comes from rank i.
  [[nodiscard]] Bytes from(int i) const {
    return counts ? counts->from[static_cast<std::size_t>(i)] : bytes;
  }
};

/// One algorithm of one operation, named as on the command line: allgather/ring.
struct Algorithm {
  std::string operation;
  std::string name;
  std::string summary;  // one sentence: how, with how many messages, from where
  std::function<Task(Rank, Call)> run;
};

/// All algorithms, by operation and name.
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
///     allgather  < doubling_total for powers of two: recursive_doubling; < bruck_total: bruck;
///                else ring                          ALLGATHER_LONG_MSG_SIZE, _SHORT_MSG_SIZE
///     alltoall   <= bruck_block from bruck_ranks on: bruck; <= scattered_block: scattered;
///                else pairwise                      ALLTOALL_SHORT_MSG_SIZE, _MEDIUM_MSG_SIZE
///     allreduce  <= doubling, or fewer values than the largest power of two of ranks:
///                recursive_doubling; else reduce_scatter_allgather
///                                                   ALLREDUCE_SHORT_MSG_SIZE
///     bcast      < binomial, or fewer ranks than binomial_ranks: binomial;
///                else scatter_allgather             BCAST_SHORT_MSG_SIZE, BCAST_MIN_PROCS
///
/// Not modelled: MPICH gathers by recursive doubling in a bcast of under 512 KiB over a power of
/// two of ranks, reduces more than 2 KiB by reduce-scatter and gather, and treats the ranks of a
/// node apart in bcast, reduce, allreduce and barrier.
struct Selection {
  Bytes allgather_doubling_total = 512 * 1024;  // [B] of the result, counts that are powers of two
  Bytes allgather_bruck_total = 80 * 1024;  // [B] of the result
  Bytes alltoall_bruck_block = 256;  // [B] a pair
  int alltoall_bruck_ranks = 8;
  Bytes alltoall_scattered_block = 32 * 1024;  // [B] a pair
  Bytes allreduce_doubling = 2048;  // [B]
  Bytes allreduce_value = 8;  // [B] an element
  Bytes bcast_binomial = 12 * 1024;  // [B]
  int bcast_binomial_ranks = 8;
};

/// The algorithm that `auto` stands for.
[[nodiscard]] std::string select(const Selection& thresholds, const std::string& operation,
                                 int ranks, const Call& call);

}  // namespace odonata
