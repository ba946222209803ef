// Collective operations: what a call is, which algorithms there are, and which one to take.
//
// Buffers, with n ranks and b = Call::bytes:
//
//     operation   input                  output
//     allgather   [0, b)                 [0, n b)   block of rank i at i b
//     scatter     root: [0, n b)         [0, b)
//     gather      [0, b)                 root: [0, n b)
//     bcast       root: [0, b)           [0, b)     the root's too
//     reduce      [0, b)                 root: [0, b)
//     allreduce   [0, b)                 [0, b)
//     alltoall    [0, n b)               [0, n b)   block for rank i, block from rank i
//     barrier     -                      -
//
// `scratch` is the algorithm's own, as long as it likes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "odonata/mpi/rank.hpp"

namespace odonata {

struct Call {
  Bytes bytes = 0;  // [B] a block, see above
  int root = 0;
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
                                 int ranks, Bytes bytes);

}  // namespace odonata
