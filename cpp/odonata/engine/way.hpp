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
#include <span>
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

  friend bool operator==(const Piece&, const Piece&) = default;

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

/// Detail in which ways are kept.
enum class WayDetail : std::uint8_t {
  none,
  times,  // waits; the wires between them are one piece, of the injection link
  links,  // a piece for each link
};

/// A packet's start on a link behind its NIC.
struct LinkStart {
  std::int32_t link;
  Time now;  // [ps]
  Time end;  // [ps] of its transmission
  Time tail;  // [ps] when its tail was at the link's begin, ready to be forwarded
  Time stalled;  // [ps] for which the link has been without credit, in all
  Time delay;  // [ps] of the wire and of the router behind it
  std::int32_t first;  // injection link of the packet
  bool queued;  // it has waited in the queue of the link
};

/// Ways of the packets in a network of packets; there is none unless somebody wants them.
class Ways {
 public:
  explicit Ways(WayDetail detail) : links_(detail == WayDetail::links), stride_(links_ ? 16 : 8) {}

  /// A message is handed to its NIC, whose link has been without credit for `stalled`.
  void hand_over(std::uint32_t message, Time now, Time stalled) {
    if (hands_.size() <= message) make_room(message);
    hands_[message] = {now, stalled, 0, 0, now};
  }
  /// The idle NIC of a node takes a message.
  void begin_busy(std::int32_t node);
  /// The NIC waits for credit, or for the window.
  void halt(std::int32_t node) {
    if (links_) nics_[node].halted = true;
  }
  /// The NIC lets a gap pass from the start of a message to that of its next.
  void keep_gap(std::int32_t node, Time gap) {
    if (links_) nics_[node].gaps += gap;
  }
  /// See Network::gaps_before; needs the links.
  [[nodiscard]] std::optional<Time> gaps_before(std::uint32_t message) const;
  /// A packet of the message starts on the injection link.
  void inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start);
  /// A packet joins the queue of a link that has been without credit for `stalled`.
  void enqueue(std::uint32_t packet, Time now, Time stalled) {
    trails_[packet].joined = now;
    trails_[packet].stalled = stalled;
  }
  /// Does a start that makes a packet so late want a note?
  [[nodiscard]] bool wants(Time late) const { return links_ || late != 0; }
  /// A packet starts on a later link.
  void forward(std::uint32_t packet, const LinkStart& start);
  /// The packet that was delivered last.
  void deliver(std::uint32_t packet) { delivered_ = packet; }
  /// The way of the message that has just left its NIC.
  [[nodiscard]] std::span<const Piece> tell_nic(std::uint32_t message, std::int32_t link);
  /// The way of the message that has just been delivered, from its first link over the last one,
  /// whose wire takes `delay`.
  [[nodiscard]] std::span<const Piece> tell(std::int32_t first, std::int32_t last, Time now,
                                            Time delay);

 private:
  struct Trail {  // of a packet
    Time joined = 0;  // [ps] the queue that it waits in
    Time stalled = 0;  // [ps] of the link that it waits for, when it joined
    Time told = 0;  // [ps] up to which its pieces tell its way
    std::size_t pieces = 0;
  };
  struct Hand {  // of a message at its NIC
    Time since = 0;  // [ps]
    Time stalled = 0;  // [ps] of the injection link, when it was handed over
    Time own = 0;  // [ps] its own packets so far
    Time credit = 0;  // [ps] without credit so far
    Time end = 0;  // [ps] of its last packet so far
    [[nodiscard]] Time queue() const { return end - since - own - credit; }
  };
  struct Nic {  // since it was idle
    Time gaps = 0;  // [ps] between messages
    bool halted = false;  // for credit, or for the window
  };
  struct First {  // of a message: the start of its first packet [ps],
    Time start = 0;
    Nic before;  // and the NIC until then
  };

  // Adds a piece to the trail of a packet, unless it takes no time.
  void add(std::uint32_t packet, Trail& trail, WayPart part, std::int32_t link, Time time) {
    if (time <= 0) return;
    if (time > Piece::longest || trail.pieces == stride_) [[unlikely]]
      return add_slowly(packet, part, link, time);
    pieces_[packet * stride_ + trail.pieces++] = {part, link, time};
  }
  void add_slowly(std::uint32_t packet, WayPart part, std::int32_t link, Time time);
  void make_room(std::uint32_t message);
  void make_trail(std::uint32_t packet);
  void widen();

  bool links_;
  std::size_t stride_;  // pieces of a trail, at most
  Table<Trail> trails_;  // by packet slot
  Table<Piece> pieces_;  // of all trails, each with as much room
  Table<Hand> hands_;  // by message slot
  std::vector<First> firsts_;  // by message slot, if links are kept
  std::vector<Nic> nics_;  // by node, if links are kept
  Way nic_way_;  // that is told
  std::uint32_t delivered_ = 0;
};

}  // namespace odonata
