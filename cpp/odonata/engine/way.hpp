// The way of a message through the network, piece by piece: where its time went.
//
//     handed to the NIC | queue | credit | serialization | wire | queue | credit | ... | delivered
//
// Pieces follow the tail of the packet that decides: the last to arrive. They stand in the order of
// time and add up to the time from the hand-over to the delivery.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

/// Kinds of pieces of a way.
enum class WayPart : std::uint8_t {
  queue,  // behind other packets or messages for this link
  credit,  // the link was free, and no buffer behind it had room
  serialization,  // the message's own bytes at the NIC
  transmission,  // more time than on the link before, because this one is slower
  wire,  // latency of the link, and the delay of the router behind it
  node_latency,  // inside a node
  node_bytes,  // inside a node: bytes by bandwidth, behind those before them
  held,  // at the gate of its destination: congestion control
};
inline constexpr std::size_t num_way_parts = 8;

/// | long 1 | part 3 | link 24 | time 36 |, so that a piece is a word. Times above `longest` take
/// two pieces, of which the first, a long one, counts in units of 2^36 ps.
class Piece {
 public:
  static constexpr Time longest = (Time{1} << 36) - 1;  // [ps] of a piece that is no long one

  Piece() = default;
  /// The time must be up to `longest`, or a multiple of 2^36 ps.
  Piece(WayPart part, std::int32_t link, Time time)
      : word_(static_cast<std::uint64_t>(part) << 60 |
              static_cast<std::uint64_t>(static_cast<std::uint32_t>(link) & 0xffffff) << 36 |
              (time <= longest ? static_cast<std::uint64_t>(time)
                               : is_long | static_cast<std::uint64_t>(time) >> 36)) {}
  /// The times of the pieces that a time takes; a piece that is not needed has none [ps].
  [[nodiscard]] static constexpr std::array<Time, 2> parts_of(Time time) {
    return {time & ~longest, time & longest};
  }

  [[nodiscard]] WayPart part() const { return static_cast<WayPart>(word_ >> 60 & 7); }
  [[nodiscard]] std::int32_t link() const {
    return static_cast<std::int32_t>(word_ >> 36 & 0xffffff);
  }
  [[nodiscard]] Time time() const {
    return static_cast<Time>(word_ & longest) << ((word_ & is_long) != 0 ? 36 : 0);
  }

  friend bool operator==(const Piece&, const Piece&) = default;

 private:
  static constexpr std::uint64_t is_long = std::uint64_t{1} << 63;
  std::uint64_t word_ = 0;
};

using Way = std::vector<Piece>;

/// Adds a piece, unless it takes no time.
inline void add_piece(Way& way, WayPart part, std::int32_t link, Time time) {
  for (const Time some : Piece::parts_of(time))
    if (some > 0) way.emplace_back(part, link, some);
}

/// Ends of ways that a network can tell.
enum class Reached : std::uint8_t {
  network,  // the last byte has left the node
  node,  // the whole message is at its node
};

}  // namespace odonata
