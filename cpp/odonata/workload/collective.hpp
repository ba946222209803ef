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

/// The algorithm of that name; throws UserError with the known ones.
[[nodiscard]] const Algorithm& algorithm(const std::string& operation, const std::string& name);

/// Sizes at which MPICH changes its mind.
struct Selection {
  Bytes allgather_doubling_total = 512 * 1024;  // [B] of the result, counts that are powers of two
  Bytes allgather_bruck_total = 80 * 1024;      // [B] of the result
  Bytes alltoall_bruck_block = 256;             // [B] a pair
  int alltoall_bruck_ranks = 8;
  Bytes alltoall_scattered_block = 32 * 1024;   // [B] a pair
  Bytes allreduce_doubling = 2048;              // [B]
  Bytes bcast_binomial = 12 * 1024;             // [B]
  int bcast_binomial_ranks = 8;
};

/// The algorithm that `auto` stands for.
[[nodiscard]] std::string select(const Selection& thresholds, const std::string& operation,
                                 int ranks, Bytes bytes);

}  // namespace odonata
