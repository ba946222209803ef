// The registry of algorithms: one row each.
#include "odonata/workload/allgather/allgather.hpp"
#include "odonata/workload/allgatherv/allgatherv.hpp"
#include "odonata/workload/allreduce/allreduce.hpp"
#include "odonata/workload/alltoall/alltoall.hpp"
#include "odonata/workload/alltoallv/alltoallv.hpp"
#include "odonata/workload/barrier/barrier.hpp"
#include "odonata/workload/bcast/bcast.hpp"
#include "odonata/workload/collective.hpp"
#include "odonata/workload/exscan/exscan.hpp"
#include "odonata/workload/gather/gather.hpp"
#include "odonata/workload/gatherv/gatherv.hpp"
#include "odonata/workload/neighbor_allgather/neighbor_allgather.hpp"
#include "odonata/workload/neighbor_alltoall/neighbor_alltoall.hpp"
#include "odonata/workload/point_to_point/point_to_point.hpp"
#include "odonata/workload/reduce/reduce.hpp"
#include "odonata/workload/reduce_scatter/reduce_scatter.hpp"
#include "odonata/workload/scan/scan.hpp"
#include "odonata/workload/scatter/scatter.hpp"
#include "odonata/workload/scatterv/scatterv.hpp"
#include "odonata/workload/sent.hpp"

namespace odonata {

namespace {

std::vector<Algorithm> table() {
  const std::string halving = "log2 n exchanges of halves, as in MPICH for short messages";
  const std::string pairwise = "n-1 exchanges with one peer each, as in MPICH for long messages";
  return {
      {"allgather", "ring", "n-1 steps, each passing one block to the next rank", allgather::ring,
       sent::pairs},
      {"allgather", "bruck",
       "ceil(log2 n) steps at distances 1, 2, 4, ... in scratch, then a rotation (Bruck 1997)",
       allgather::bruck, sent::steps_of_pairs},
      {"allgather", "recursive_doubling",
       "log2 n exchanges of growing subtrees; other counts as in MPICH",
       allgather::recursive_doubling, sent::doubling},
      {"allgather", "neighbor_exchange",
       "n/2 steps of two blocks between neighbours (Chen 2005); a ring for odd counts",
       allgather::neighbor_exchange, sent::neighbours},
      {"allgather", "tar", "topology-aware ring: through all ranks by group, router and node",
       allgather::tar, sent::pairs},
      {"allgatherv", "ring",
       "n-1 steps, each passing one block to the next rank, in chunks of 32 KiB, as in MPICH",
       allgatherv::ring, sent::chunks},
      {"allgatherv", "bruck",
       "ceil(log2 n) steps at distances 1, 2, 4, ... in scratch, then a rotation, as in MPICH",
       allgatherv::bruck, sent::steps_of_pairs},
      {"allgatherv", "recursive_doubling",
       "log2 n exchanges of growing subtrees; other counts as in MPICH",
       allgatherv::recursive_doubling, sent::doubling},
      {"scatter", "linear",
       "the root sends to each rank in random order, all sends under way at once", scatter::linear,
       sent::others},
      {"scatter", "binomial", "halves of the blocks down a binomial tree, as in MPICH",
       scatter::binomial, sent::relayed},
      {"scatter", "glf",
       "global links first: to a leader in each group, then to routers, then to nodes",
       scatter::glf, sent::relayed},
      {"scatter", "llf",
       "local links first: to the routers of the root's group, which send to the groups they serve",
       scatter::llf, sent::relayed},
      {"scatterv", "linear", "the root sends to each rank in turn, all sends at once, as in MPICH",
       scatterv::linear, sent::unless_empty<sent::others>},
      {"gather", "linear", "every rank sends to the root, which has posted all receives",
       gather::linear, sent::others},
      {"gather", "binomial", "up a binomial tree, as in MPICH", gather::binomial, sent::relayed},
      {"gatherv", "linear",
       "every rank sends to the root, which has posted all receives, as in MPICH", gatherv::linear,
       sent::unless_empty<sent::others>},
      {"bcast", "binomial", "down a binomial tree, as in MPICH for short messages", bcast::binomial,
       sent::others},
      {"bcast", "scatter_allgather",
       "a binomial scatter and a ring allgather, as in MPICH for long messages",
       bcast::scatter_allgather, sent::scatter_allgather},
      {"reduce", "binomial", "up a binomial tree, as in MPICH for short messages", reduce::binomial,
       sent::others},
      {"reduce", "reduce_scatter_gather",
       "recursive halving, then a binomial gather (Rabenseifner), as in MPICH for long messages",
       reduce::reduce_scatter_gather, sent::halved_and_gathered},
      {"allreduce", "recursive_doubling",
       "log2 n exchanges of all data, as in MPICH for short messages",
       allreduce::recursive_doubling, sent::folded_whole},
      {"allreduce", "reduce_scatter_allgather",
       "recursive halving, then doubling (Rabenseifner), as in MPICH for long messages",
       allreduce::reduce_scatter_allgather, sent::folded_halves},
      {"allreduce", "ring",
       "2 (n-1) steps to the next rank: chunks are summed, then known (Patarasuk 2009)",
       allreduce::ring, sent::ring_of_chunks},
      {"reduce_scatter", "recursive_halving", halving, reduce_scatter::recursive_halving,
       sent::unless_empty<sent::halved>},
      {"reduce_scatter", "pairwise", pairwise, reduce_scatter::pairwise,
       sent::unless_empty<sent::pairs>},
      {"reduce_scatter_block", "recursive_halving", halving, reduce_scatter::recursive_halving,
       sent::unless_empty<sent::halved>},
      {"reduce_scatter_block", "pairwise", pairwise, reduce_scatter::pairwise,
       sent::unless_empty<sent::pairs>},
      {"scan", "recursive_doubling", "ceil(log2 n) exchanges of subtrees' sums, as in MPICH",
       scan::recursive_doubling, sent::exchanges},
      {"exscan", "recursive_doubling", "ceil(log2 n) exchanges of subtrees' sums, as in MPICH",
       exscan::recursive_doubling, sent::exchanges},
      {"alltoall", "bruck", "ceil(log2 n) steps of about n/2 packed blocks (Bruck 1997)",
       alltoall::bruck, sent::steps_of_packed},
      {"alltoall", "scattered", "isend and irecv to all others, in batches of 32",
       alltoall::scattered, sent::pairs},
      {"alltoall", "pairwise", "n-1 exchanges with one peer each", alltoall::pairwise, sent::pairs},
      {"alltoallv", "scattered", "isend and irecv to all others, in batches of 32, as in MPICH",
       alltoallv::scattered, sent::unless_empty<sent::pairs>},
      {"alltoallv", "pairwise", "n-1 exchanges with one peer each, as in Open MPI",
       alltoallv::pairwise, sent::pairs},
      {"neighbor_allgather", "linear", "isend and irecv to all neighbours, as in MPICH",
       neighbor_allgather::linear, sent::both_neighbours},
      {"neighbor_alltoall", "linear", "isend and irecv to all neighbours, as in MPICH",
       neighbor_alltoall::linear, sent::both_neighbours},
      {"barrier", "dissemination", "ceil(log2 n) steps at distances 1, 2, 4, ...",
       barrier::dissemination, sent::steps_of_nothing},
  };
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = table();
  return all;
}

const std::vector<Algorithm>& point_to_point_patterns() {
  static const std::vector<Algorithm> all = {
      {"pingpong", "pairs", "rank i of the first half and rank i + n/2 send to each other in turn",
       point_to_point::pingpong, sent::there_and_back},
      {"sendrecv", "ring", "everyone sends to the next rank and receives from the one before",
       point_to_point::sendrecv, sent::one_each},
      {"exchange", "ring", "everyone sends to both neighbours and receives from both",
       point_to_point::exchange, sent::both_neighbours},
  };
  return all;
}

}  // namespace odonata
