// The algorithm that `auto` stands for: the choice of MPICH or Open MPI.
#pragma once

#include <cstdint>
#include <string>

#include "odonata/trace/collectives.hpp"
#include "odonata/workload/collective.hpp"

namespace odonata {

/// MPI libraries whose choices are known.
enum class Library : std::uint8_t { mpich, openmpi };

/// The library of that name: mpich, openmpi, openmpi-4.1 or openmpi-5.0, which choose alike; throws
/// UserError with the known ones.
[[nodiscard]] Library library_named(const std::string& name);

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
/// The model leaves out that MPICH gathers by recursive doubling in a bcast of under 512 KiB over a
/// power of two of ranks, sends synchronously in a gatherv of 32 ranks or more, combines otherwise
/// where an operator does not commute, and treats the ranks of a node apart in bcast, reduce,
/// allreduce, scan and barrier.
///
/// Open MPI's choices are fixed (openmpi.cpp), but for the size of an element.
struct Selection {
  Library library = Library::mpich;
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

using Rule = std::string(const Selection&, int ranks, const Call&);

/// The name of the algorithm that `auto` stands for.
[[nodiscard]] std::string select(const Selection& thresholds, trace::Collective operation,
                                 int ranks, const Call& call);

}  // namespace odonata
