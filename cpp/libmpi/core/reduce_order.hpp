// In which order reductions combine their operands.
//
// Sums of floating-point numbers depend on it in their last digits. Compared with MPICH 5.0 and
// Open MPI 4.1 on one node, 2 to 16 ranks, 8 B to 8 kB: allreduce and reduce_scatter agree with
// both, scan, exscan and reduce_scatter_block with MPICH. reduce is MPICH's between nodes; in
// shared memory both have orders that change with the size.
//
//   recursive doubling (allreduce). Of p ranks, with 2^k the largest power of two that is not more
//     and r = p - 2^k, the first 2 r ranks combine in pairs (0 1) (2 3) ...; the 2^k operands that
//     are left combine in pairs, then pairs of pairs, k times. For p = 7: ((0 1) (2 3)) ((4 5) 6).
//   recursive halving (reduce_scatter). The same, but the 2^k operands combine with those half of
//     them away, then a quarter, and so on: for p = 8: ((0 4) (2 6)) ((1 5) (3 7)). Only for
//     operations that commute; the others take recursive doubling.
//   binomial tree (reduce). Ranks count from the root, i' = (i - root) mod p; (0' 1'), (2' 3') ...
//     combine, then pairs of pairs, and an operand that has no partner waits for the next round.
//     For an operation that does not commute, ranks count from 0.
//   scan. The ranks up to i fall into blocks as the binary digits of i + 1 say, the highest digit's
//     block first; each combines in pairs and pairs of pairs, and the blocks from the last to the
//     first. For i = 6: ((0 1) (2 3)) ((4 5) 6).
//
// The operand of the lower place is always the left one.
#pragma once

#include <functional>
#include <vector>

namespace odonata::libmpi {

/// Combines: the operand at place `right` becomes left op right.
using Combine = std::function<void(int left, int right)>;

/// Each of these, n > 0, reduces the operands at places 0..n-1 and returns the place of the result.
/// Operands are overwritten.
int recursive_doubling(int n, const Combine& combine);
int recursive_halving(int n, const Combine& combine);
int binomial_tree(int n, const Combine& combine);
int scan_order(int n, const Combine& combine);

}  // namespace odonata::libmpi
