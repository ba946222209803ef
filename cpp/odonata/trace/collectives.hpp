// The collective operations, with the properties of their rows (collectives.inc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace odonata::trace {

/// Collective operations as the network sees them.
enum class Collective : std::uint32_t {
#define ODONATA_OPERATION(name, ...) name,
#include "odonata/trace/collectives.inc"
#undef ODONATA_OPERATION
};

enum class Root : std::uint8_t { rootless, rooted };

/// Sizes of blocks that a call tells in the words of its record, in this order.
enum class Sizes : std::uint8_t {
  alike,             // none: all blocks have `bytes`
  of_ranks,          // of each rank's block, at every rank
  of_ranks_at_root,  // of each rank's block, at the root
  of_pairs,          // of the blocks to each rank, of those from each rank
  of_sources,  // number of sources, sources, number of destinations, destinations, size of the
               // block from each source; a block of `bytes` goes to all destinations
  of_neighbors,  // the same, then size of the block to each destination
};

/// Blocks that go from rank to rank, each rank's share of them. The block of a rank counts once for
/// every other rank that gets it, and in a reduction once where it is combined with another.
enum class Moves : std::uint8_t {
  nothing,
  from_root,  // to every other rank
  to_root,  // from every other rank
  to_each,  // from each rank to every other
  there_and_back,  // from every other rank to one, and back
  up_the_ranks,  // from each rank to the next
  to_neighbors,  // from each rank to its destinations
};

/// One row.
struct CollectiveOperation {
  std::string_view name;
  Root root;
  Sizes sizes;
  Moves moves;
  std::string_view block;  // the data that `bytes` counts
  std::string_view summary;  // one sentence

  [[nodiscard]] constexpr bool rooted() const { return root == Root::rooted; }
};

/// All rows, by number.
inline constexpr CollectiveOperation collective_operations[] = {
#define ODONATA_OPERATION(name, root, sizes, moves, input, output, mpich, openmpi, between, block, \
                          summary)                                                                 \
  {#name, Root::root, Sizes::sizes, Moves::moves, block, summary},
#include "odonata/trace/collectives.inc"
#undef ODONATA_OPERATION
};
inline constexpr int num_collectives = static_cast<int>(std::size(collective_operations));

[[nodiscard]] constexpr const CollectiveOperation& row_of(Collective kind) {
  return collective_operations[static_cast<std::size_t>(kind)];
}

/// The operation of that name, if there is one.
[[nodiscard]] constexpr std::optional<Collective> collective_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(collective_operations); ++i)
    if (collective_operations[i].name == name) return static_cast<Collective>(i);
  return std::nullopt;
}

}  // namespace odonata::trace
