// Blocks of the memory that every rank can read. They belong to one rank, to all ranks that share a
// process, or to the simulator.
#pragma once

#include <array>
#include <cstddef>

#include "odonata/live/layout.hpp"

namespace odonata::live {

/// Blocks are powers of two; pages of which nothing was touched take no memory. The block given
/// back last is handed out first: it is in the cache.
class Arena {
 public:
  /// `first` and `last`: the ranks whose arenas these are; num_ranks is the simulator.
  Arena(Header& header, int first, int last);

  /// A block for so many bytes, aligned to 16; 0 when there is no room.
  [[nodiscard]] Offset allocate(std::size_t bytes);
  /// Gives a block back, to whomever it belongs.
  void release(Offset contents);

 private:
  [[nodiscard]] Block& at(Offset place) const;
  [[nodiscard]] std::atomic<Offset>& freed(std::uint32_t owner) const;
  void collect_freed();
  void keep(Offset place);

  Header& header_;
  std::uint32_t first_;
  Offset next_, end_;
  std::array<Offset, 60> free_{};  // by class
};

}  // namespace odonata::live
