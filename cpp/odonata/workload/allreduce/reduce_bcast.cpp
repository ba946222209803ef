#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::allreduce {

// Open MPI's "nonoverlapping": a reduce to rank 0, then a bcast, by the algorithms that it chooses
// where it chooses this one: up a binomial tree, and down a tree of radix 4, or a binary one for
// less than 64 KiB among fewer than 256 ranks. 2 (n-1) messages.
Task reduce_bcast(Rank rank, Call call) {
  constexpr int few_ranks = 256;
  constexpr Bytes little = 64 * 1024;
  const Span sum{output, 0, call.bytes};
  Task up = trees::combine_up(rank, trees::place_in(trees::binomial, rank, 0), sum, 0, 0);
  co_await up;
  const bool binary = rank.size() < few_ranks && call.bytes < little;
  Task down = trees::send_down(
      rank, trees::place_in(binary ? trees::binary : trees::four_nomial, rank, 0), sum, 0);
  co_await down;
}

}  // namespace odonata::allreduce
