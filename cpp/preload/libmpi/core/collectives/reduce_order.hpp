// Orders in which reductions combine their operands.
//
// The last digits of a sum of floating-point numbers depend on the order. In a comparison with
// MPICH 5.0 and Open MPI 4.1 (one node, 2 to 16 ranks, 8 B to 8 kB), allreduce and reduce_scatter
// agree with both, and scan, exscan and reduce_scatter_block agree with MPICH. reduce has MPICH's
// order between nodes; in shared memory both use orders that change with the size.
//
//   recursive doubling (allreduce). Let 2^k be the largest power of two up to p, the number of
//     ranks, and r = p - 2^k. The first 2 r ranks combine in pairs (0 1) (2 3) ...; the remaining
//     2^k operands combine in pairs, then in pairs of pairs, k times. p = 7 gives
//     ((0 1) (2 3)) ((4 5) 6).
//   recursive halving (reduce_scatter). The same, but the 2^k operands combine at a distance of a
//     half of them, then a quarter, and so on. p = 8 gives ((0 4) (2 6)) ((1 5) (3 7)). It is used
//     for operations that commute; the others use recursive doubling.
//   binomial tree (reduce). Ranks count from the root, i' = (i - root) mod p; (0' 1'), (2' 3') ...
//     combine, then pairs of pairs, and an operand without a partner waits for the next round. For
//     an operation that does not commute, ranks count from 0.
//   scan. The ranks up to i form one block for each binary digit 1 of i + 1, the highest digit's
//     block first. Each block combines in pairs and pairs of pairs, then the blocks combine from
//     the last to the first. i = 6 gives ((0 1) (2 3)) ((4 5) 6).
//
// The operand of the lower place is always the left one.
#pragma once

#include <functional>
#include <vector>

namespace odonata::libmpi {

/// Combines: the operand at place `right` becomes left op right.
using Combine = std::function<void(int left, int right)>;

/// Each function reduces the operands at places 0..n-1, n > 0, and returns the place of the result.
/// Operands are overwritten.
int recursive_doubling(int n, const Combine& combine);
int recursive_halving(int n, const Combine& combine);
int binomial_tree(int n, const Combine& combine);
int scan_order(int n, const Combine& combine);

}  // namespace odonata::libmpi
