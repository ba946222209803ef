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

#include "odonata/event/fetch.hpp"
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
  times,  // waits; the wires between them are one piece, and pieces have a place, no link
  links,  // a piece for each link
};

/// Where a piece was, as far as its category asks: the class of the link, and which end of a way.
[[nodiscard]] constexpr std::int32_t place_of_piece(int link_class, bool injects, bool ejects) {
  return 3 * link_class + (injects ? 1 : ejects ? 2 : 0);
}

/// A packet's start on a link.
struct LinkStart {
  std::int32_t link;  // or its place
  Time now;  // [ps]
  Time end;  // [ps] of its transmission
  Time stalled;  // [ps] for which the link has been without credit, in all
  Time delay;  // [ps] of the wire and of the router behind it
};

/// Ways of the packets in a network of packets; there is none unless somebody wants them. Functions
/// for packets exist for each detail.
class Ways {
 public:
  explicit Ways(WayDetail detail) : links_(detail == WayDetail::links) {}

  /// Are links kept?
  [[nodiscard]] bool links() const { return links_; }
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
  template <bool links>
  void inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start);
  /// A packet joins the queue of a link that has been without credit for `stalled`.
  void enqueue(std::uint32_t packet, Time now, Time stalled) {
    Trail& trail = trail_of(packet);
    trail.joined = now;
    trail.stalled = stalled;
  }
  /// A packet starts on a later link, of which its tail was at the begin, ready, at `tail`. It may
  /// have waited in the link's queue. Without links only a start that makes it late wants a note.
  template <bool links>
  void forward(std::uint32_t packet, const LinkStart& start, Time tail, bool queued);
  /// The packet that was delivered last.
  void deliver(std::uint32_t packet) { delivered_ = packet; }
  /// The way of the message that has just left its NIC over this link, or place.
  [[nodiscard]] std::span<const Piece> tell_nic(std::uint32_t message, std::int32_t link);
  /// The way of the message that has just been delivered over a link at this place, whose wire
  /// takes `delay`.
  [[nodiscard]] std::span<const Piece> tell(std::int32_t place, Time now, Time delay);
  /// Fetches the trail of a packet into the cache.
  void prefetch(std::uint32_t packet) const {
    const std::byte* place = storage_.data()->bytes + packet * stride_;
    if (packet >= num_trails_) return;
    fetch(place);
    fetch(place + sizeof(Line));
  }

 private:
  struct alignas(64) Line {  // of the cache
    std::byte bytes[64];
  };
  struct Trail {  // of a packet; its pieces are behind it
    Time joined = 0;  // [ps] the queue that it waits in
    Time stalled = 0;  // [ps] of the link that it waits for, when it joined
    Time told = 0;  // [ps] up to which its pieces tell its way
    std::size_t pieces = 0;
  };
  static constexpr std::size_t at_once = 4;  // pieces that a start adds, at most
  struct alignas(64) Hand {  // of a message at its NIC
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
  [[nodiscard]] Trail& trail_of(std::uint32_t packet) {
    return *reinterpret_cast<Trail*>(storage_.data()->bytes + packet * stride_);
  }
  [[nodiscard]] static Piece* pieces_of(Trail& trail) {
    return reinterpret_cast<Piece*>(&trail + 1);
  }
  // Adds a piece, unless it takes no time, where there is room for it.
  static void add(Piece*& end, WayPart part, std::int32_t link, Time time) {
    *end = {part, link, time};
    end += time > 0;
  }
  [[nodiscard]] bool fits(const Trail& trail, Time longest) const {
    return trail.pieces + at_once <= most_pieces_ && longest <= Piece::longest;
  }
  void add_slowly(std::uint32_t packet, WayPart part, std::int32_t link, Time time);
  void make_room(std::uint32_t message);
  void make_trail(std::uint32_t packet);
  void widen();

  bool links_;
  std::size_t stride_ = 2 * sizeof(Line);  // [B] of a trail with its pieces
  std::size_t most_pieces_ = (2 * sizeof(Line) - sizeof(Trail)) / sizeof(Piece);
  std::size_t num_trails_ = 0;
  Table<Line> storage_;  // of trails, by packet slot
  Table<Hand> hands_;  // by message slot
  std::vector<First> firsts_;  // by message slot, if links are kept
  std::vector<Nic> nics_;  // by node, if links are kept
  Way nic_way_;  // that is told
  std::uint32_t delivered_ = 0;
};

}  // namespace odonata
