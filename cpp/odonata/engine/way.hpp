// The way of a message through the network, piece by piece: where its time went.
//
//     handed to the NIC | queue | credit | serialization | wire | queue | credit | ... | delivered
//
// Pieces follow the tail of the packet that decides: the last to arrive. They stand in the order of
// time and add up to the time from the hand-over to the delivery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "odonata/event/table.hpp"
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
  node_bytes,  // inside a node: bytes by bandwidth
};
inline constexpr std::size_t num_way_parts = 7;

/// | part 4 | link 24 | time 36 |, so that a piece is a word; longer times take several pieces.
class Piece {
 public:
  static constexpr Time longest = (Time{1} << 36) - 1;  // [ps]

  Piece() = default;
  Piece(WayPart part, std::int32_t link, Time time)
      : word_(static_cast<std::uint64_t>(part) << 60 |
              static_cast<std::uint64_t>(static_cast<std::uint32_t>(link) & 0xffffff) << 36 |
              static_cast<std::uint64_t>(time)) {}

  [[nodiscard]] WayPart part() const { return static_cast<WayPart>(word_ >> 60); }
  [[nodiscard]] std::int32_t link() const {
    return static_cast<std::int32_t>(word_ >> 36 & 0xffffff);
  }
  [[nodiscard]] Time time() const { return static_cast<Time>(word_ & longest); }

 private:
  std::uint64_t word_ = 0;
};

using Way = std::vector<Piece>;

/// Adds a piece, unless it takes no time.
inline void add_piece(Way& way, WayPart part, std::int32_t link, Time time) {
  for (; time > Piece::longest; time -= Piece::longest)
    way.emplace_back(part, link, Piece::longest);
  if (time > 0) way.emplace_back(part, link, time);
}

/// Ends of ways that a network can tell.
enum class Reached : std::uint8_t {
  network,  // the last byte has left the node
  node,  // the whole message is at its node
};

/// A packet's start on a link.
struct LinkStart {
  std::int32_t link;
  Time now;  // [ps]
  Time end;  // [ps] of its transmission
  Time tail;  // [ps] when its tail was at the link's begin, ready to be forwarded
  Time stalled;  // [ps] for which the link has been without credit, in all
  Time delay;  // [ps] of the wire and of the router behind it
};

/// Ways of the packets in a network of packets; there is none unless somebody wants them.
class Ways {
 public:
  /// A message is handed to its NIC, whose link has been without credit for `stalled`.
  void hand_over(std::uint32_t message, Time now, Time stalled);
  /// The idle NIC of a node takes a message.
  void begin_busy(std::int32_t node);
  /// The NIC waits for credit, or for the window.
  void halt(std::int32_t node) { nics_[node].halted = true; }
  /// The NIC lets a gap pass from the start of a message to that of its next.
  void keep_gap(std::int32_t node, Time gap) { nics_[node].gaps += gap; }
  /// See Network::gaps_before.
  [[nodiscard]] std::optional<Time> gaps_before(std::uint32_t message) const;
  /// A packet of the message starts on the injection link.
  void inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start);
  /// A packet joins the queue of a link that has been without credit for `stalled`.
  void enqueue(std::uint32_t packet, Time stalled) { trails_[packet].stalled = stalled; }
  /// A packet starts on a later link.
  void forward(std::uint32_t packet, const LinkStart& start);
  /// The packet that was delivered last.
  void deliver(std::uint32_t packet) { delivered_ = packet; }
  /// Appends the way of the message that has just reached the end of the network, or of its NIC.
  void tell(std::uint32_t message, std::int32_t link, Reached reached, Way& way) const;

 private:
  struct Trail {  // of a packet
    Time head = 0;  // [ps] when its head is ready to be forwarded
    Time stalled = 0;  // [ps] of the link that it waits for, when it began to wait
    Way way;
  };
  struct Nic {  // since it was idle
    Time gaps = 0;  // [ps] between messages
    bool halted = false;  // for credit, or for the window
  };
  struct Hand {  // of a message at its NIC
    Time since = 0;  // [ps]
    Time stalled = 0;  // [ps] of the injection link, when it was handed over
    Time own = 0;  // [ps] its own packets so far
    Time credit = 0;  // [ps] without credit so far
    Time end = 0;  // [ps] of its last packet so far
    Time start = 0;  // [ps] of its first packet,
    Nic before;  // and the NIC until then
    [[nodiscard]] Time queue() const { return end - since - own - credit; }
  };

  static void add_nic(const Hand& hand, std::int32_t link, Way& way);

  std::vector<Trail> trails_;  // by packet slot
  Table<Hand> hands_;  // by message slot
  std::vector<Nic> nics_;  // by node
  std::uint32_t delivered_ = 0;
};

}  // namespace odonata
