// Ways of the packets in a network of packets, link by link.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "odonata/engine/trails.hpp"

namespace odonata {

/// A packet's start on a link.
struct LinkStart {
  std::int32_t link;
  Time now;  // [ps]
  Time end;  // [ps] of its transmission
  Time stalled;  // [ps] for which the link has been without credit, in all
  Time delay;  // [ps] of the wire and of the router behind it
};

class Ways {
 public:
  /// A message is handed to its NIC, whose link has been without credit for `stalled`.
  void hand_over(std::uint32_t message, Time now, Time stalled) {
    if (hands_.size() <= message) make_room(message);
    hands_[message] = {now, stalled, 0, 0, now};
  }
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
  void enqueue(std::uint32_t packet, Time now, Time stalled) {
    trails_[packet].joined = {now, stalled};
  }
  /// A packet starts on a later link, of which its tail was at the begin, ready, at `tail`. It may
  /// have waited in the link's queue.
  void forward(std::uint32_t packet, const LinkStart& start, Time tail, bool queued);
  /// The way of the message that has just left its NIC over this link.
  [[nodiscard]] std::span<const Piece> tell_nic(std::uint32_t message, std::int32_t link);
  /// The way of a packet that has just been delivered.
  [[nodiscard]] std::span<const Piece> tell(std::uint32_t packet) {
    return trails_.tell(trails_[packet]);
  }
  /// Fetches the trail of a packet into the cache.
  void prefetch(std::uint32_t packet) const { trails_.prefetch(packet); }

 private:
  struct alignas(64) Hand {  // of a message at its NIC
    Time since = 0;  // [ps]
    Time stalled = 0;  // [ps] of the injection link, when it was handed over
    Time own = 0;  // [ps] its own packets so far
    Time credit = 0;  // [ps] without credit so far
    Time end = 0;  // [ps] of its last packet so far
    // A window or a gap between messages counts with the queue.
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

  void make_room(std::uint32_t message);

  Trails trails_;
  Table<Hand> hands_;  // by message slot
  std::vector<First> firsts_;  // by message slot
  std::vector<Nic> nics_;  // by node
  Way nic_way_;  // that is told
};

}  // namespace odonata
