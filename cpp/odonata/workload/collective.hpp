// The call of one rank of a collective operation.
//
// With n ranks and b = Call::bytes; b_i is the block of rank i where blocks are not all alike: then
// they lie one after the other. Rows of trace/collectives.inc say which buffers a call has:
//
//     input and output          where
//     block                     [0, b)
//     own_block                 [0, b_me)
//     blocks                    all b_i; block i at i b where all are alike
//     block_at_root, ...        the same at the root, nothing elsewhere
//     blocks_for_destinations   what goes to each destination, one after the other
//     gathered                  the inputs of all ranks, as `blocks`
//     scattered                 [0, b_me): block `me` of the root
//     data_of_root              [0, b), the root's too
//     sum, sum_up_to, ...       [0, b): the sum of the inputs of all ranks, of those up to `me`, of
//                               those before, where rank 0 has nothing
//     sum_of_blocks             [0, b_me): the sum of the blocks `me` of all ranks
//     transposed                what comes from each rank, as `blocks`
//     from_sources, ...         what comes from each source, one after the other
//
// `scratch` is the algorithm's own, as long as it likes.
#pragma once

#include <vector>

#include "odonata/mpi/rank.hpp"

namespace odonata {

/// Sizes of blocks that lie one after the other.
class Blocks {
 public:
  Blocks() = default;
  /// Sizes from any integers [B].
  template <class Sizes>
  explicit Blocks(const Sizes& sizes) {
    starts_.reserve(std::size(sizes) + 1);
    for (const auto size : sizes) push_back(static_cast<Bytes>(size));
  }
  void push_back(Bytes size) { starts_.push_back(starts_.back() + size); }

  [[nodiscard]] int count() const { return static_cast<int>(starts_.size()) - 1; }
  /// [B] before block i.
  [[nodiscard]] Bytes start(int i) const { return starts_[i]; }

 private:
  std::vector<Bytes> starts_{0};  // [count + 1]
};

/// Blocks of one rank's call that are not all alike, and who its neighbours are.
struct Counts {
  Blocks blocks;  // each rank's; alltoallv: to each rank; neighbor_alltoall: to each destination
  Blocks from;  // alltoallv: from each rank; neighbor_*: from each source
  std::vector<int> sources;  // neighbor_*
  std::vector<int> destinations;  // neighbor_*
};

/// One rank's call. Without `counts` all blocks have `bytes`, and the neighbours are those on a
/// ring: the ranks below and above.
struct Call {
  Bytes bytes = 0;  // [B] a block, see above; gatherv, scatterv: this rank's
  int root = 0;
  const Counts* counts = nullptr;  // outlives the call; gatherv, scatterv: the root's only
  std::int64_t parameter = 0;  // of an algorithm that takes one (algorithms.inc)

  /// Position of the blocks first <= i < last in a buffer.
  [[nodiscard]] Span blocks(Buffer buffer, int first, int last) const {
    return stretch(counts ? &counts->blocks : nullptr, buffer, first, last);
  }
  [[nodiscard]] Span block(Buffer buffer, int i) const { return blocks(buffer, i, i + 1); }
  /// Position of the block that comes from rank, or source, i.
  [[nodiscard]] Span from(Buffer buffer, int i) const {
    return stretch(counts ? &counts->from : nullptr, buffer, i, i + 1);
  }

 private:
  [[nodiscard]] Span stretch(const Blocks* sizes, Buffer buffer, int first, int last) const {
    const Bytes start = sizes ? sizes->start(first) : first * bytes;
    return {buffer, start, (sizes ? sizes->start(last) : last * bytes) - start};
  }
};

}  // namespace odonata
