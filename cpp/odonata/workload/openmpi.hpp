// Open MPI's choices of algorithms.
#pragma once

#include "odonata/workload/selection.hpp"

namespace odonata::openmpi {

/// The choices of Open MPI 4.1 and 5.0 by numbers of ranks and bytes (openmpi.cpp has the tables).
///
/// Some of its algorithms have the nearest ones in their place: allgather's linear one (never
/// chosen) ring; allgatherv's default, a gatherv and a bcast, bruck, and its neighbour exchange
/// ring; alltoall's linear_sync linear, which it is without a limit of requests, two_proc
/// pairwise_ring, and modified_bruck bruck; bcast's and reduce's chain pipeline, since the choice
/// leaves them one chain; reduce_scatter's butterfly distance_doubling, which it is for powers of
/// two, and reduce_scatter_block's basic_linear reduce_scatterv; allreduce's segmented_ring ring,
/// which it is without segments. All barriers are dissemination, scan and exscan
/// recursive_doubling.
Rule allgather;
Rule allgatherv;
Rule scatter;
Rule gather;
Rule bcast;
Rule reduce;
Rule allreduce;
Rule reduce_scatter;
Rule reduce_scatter_block;
Rule alltoall;
Rule alltoallv;

}  // namespace odonata::openmpi
