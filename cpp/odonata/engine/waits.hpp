// Ways of the packets in a network of packets for those who don't ask for links: how long they were
// held up, and where in general.
//
// A packet that nothing holds up leaves nothing to note, for its way follows from its start. One
// that is held up has a trail with places for three delays, and earlier ones if there are more:
//
//     packet 8 | a slower link | trail, 64 B: delay, delay, delay |-> an earlier trail -> ...
//
// Each packet itself knows whether anything is kept of it, so that most touch nothing here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "odonata/engine/waited.hpp"
#include "odonata/engine/way.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/table.hpp"

namespace odonata {

/// A packet and what it knows of its delays: 0 if there are none, else the number of those in its
/// trail, or `Waits::all_before` if all are in earlier ones.
struct Delayed {
  std::uint32_t packet;  // slot
  std::uint8_t count;
  Time born;  // [ps] start at its NIC
};

/// A link that is slower than those before adds `time` to that of its packet.
struct Slower {
  Time begin;  // [ps] since the packet's start at its NIC
  Time time;  // [ps]
};

/// By what a start on a later link makes a packet late.
struct Lateness {
  std::int32_t place;  // of the link
  Time begin;  // [ps] when the tail was at the begin of the link, ready
  Time end;  // [ps] of the transmission
};

class Waits {
 public:
  /// Counts of packets: all delays are in earlier trails; and the most for which they have bits.
  static constexpr std::uint8_t all_before = 4, most = 7;

  /// A message is handed to its NIC, whose link has been without credit for `stalled`.
  void hand_over(std::uint32_t message, Time stalled) {
    if (stalled_.size() <= message) [[unlikely]]
      stalled_.resize(std::max<std::size_t>(message + 1, 2 * stalled_.size()));
    stalled_[message] = stalled;
  }
  /// Time without credit of a message at its NIC, whose link has been without it for `stalled`.
  [[nodiscard]] Time credit_of(std::uint32_t message, Time stalled) const {
    return stalled - stalled_[message];
  }
  /// A packet lacked credit at its NIC.
  void lack(std::uint32_t packet, Time credit);
  /// For how long it did [ps]; it did.
  [[nodiscard]] Time lacked(std::uint32_t packet) const { return lacked_[packet]; }

  /// A packet has started of which something may be kept.
  void admit(std::uint32_t packet) {
    if (trails_.size() <= packet) [[unlikely]]
      make_room(packet);
  }
  /// Has the packet's trail no place left, so that it must begin another one?
  [[nodiscard]] static bool full(Delayed packet) { return packet.count == inside; }
  /// Makes the packet's trail an earlier one. Returns the packet's count from then on.
  std::uint8_t begin_trail(Delayed packet);
  /// A packet whose trail has a place joins the queue of a link.
  void join(Delayed packet, const Joined& joined) {
    trails_[packet.packet].kept[packet.count & inside].joined = joined;
  }
  /// The queue that a packet has joined since it was delayed last.
  [[nodiscard]] Joined joined(Delayed packet) const {
    return trails_[packet.packet].kept[packet.count & inside].joined;
  }
  /// Keeps that the first link that delays a packet is slower than those before. Returns whether
  /// the times are short enough for that.
  bool slow_down(std::uint32_t packet, Slower slower) {
    if ((slower.begin | slower.time) > longest) [[unlikely]]
      return false;
    slower_[packet] = {word(slower.begin), word(slower.time)};
    return true;
  }
  /// That link of a packet that has one.
  [[nodiscard]] Slower slower(std::uint32_t packet) const {
    return {slower_[packet].begin, slower_[packet].time};
  }
  /// Is there a place for one more delay in the packet's trail, and is that short enough?
  [[nodiscard]] bool has_place(Delayed packet, const Lateness& late) const {
    const Time begin = late.begin - packet.born, time = late.end - late.begin;
    return !full(packet) && (begin | time) <= longest &&
           (packet.count != 0 || trails_[packet.packet].before == none);
  }
  /// Keeps there how a link makes the packet late: it has waited, and the link may be slower than
  /// those before. Returns the packet's count from then on.
  std::uint8_t keep(Delayed packet, const Lateness& late, Waited waited) {
    Trail& trail = trails_[packet.packet];
    const std::size_t place = packet.count & inside;
    trail.kept[place].late = {word(late.begin - packet.born), word(late.end - late.begin),
                              word(waited.queue), word(waited.credit)};
    trail.places[place] = static_cast<std::uint16_t>(late.place);
    return static_cast<std::uint8_t>(place + 1);
  }
  /// Keeps it wherever there is a place, and returns the same.
  std::uint8_t add(Delayed packet, const Lateness& late, Waited waited);
  /// The delays of a packet that has some, until those of another one are asked for.
  [[nodiscard]] std::span<const Delay> tell(Delayed packet);
  /// The most earlier trails that there were at a time.
  [[nodiscard]] std::size_t most_earlier() const { return earlier_.size(); }
  /// Fetches what is kept of a packet into the cache.
  void prefetch(std::uint32_t packet) const { fetch(&trails_[packet]); }

 private:
  static constexpr std::uint8_t inside = 3;  // a trail
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr Time longest = std::numeric_limits<std::uint32_t>::max();
  struct ShortSlower {
    std::uint32_t begin, time;  // [ps]
  };
  struct Late {  // [ps]
    std::uint32_t begin;  // after the start of the packet
    std::uint32_t time, queue, credit;  // all of it, and two parts
  };
  static std::uint32_t word(Time time) { return static_cast<std::uint32_t>(time); }
  union Place {
    Late late;
    Joined joined;  // in the place of the next delay: the queue that the packet is in
  };
  struct Long {  // a delay that is alone in an earlier trail, as it is
    Lateness late;
    Time queue, credit;  // [ps] of it
  };
  // In a line of the cache. Which parts there are is not foreseeable, and few are ever told.
  struct alignas(64) Trail {
    union {
      std::array<Place, inside> kept{};
      Long alone;
    };
    std::array<std::uint16_t, inside> places{};
    std::uint8_t count = 0;  // of an earlier trail; 0: one that is alone
    std::uint32_t before = none;  // the earlier trail
  };
  static_assert(sizeof(Trail) == 64);

  void put_before(std::uint32_t packet, const Trail& trail);
  void tell(const Trail& trail, std::size_t count, Time born);
  void tell(const Lateness& late, Waited waited);
  std::uint32_t new_trail();
  void give_back(Trail& trail);
  void make_room(std::uint32_t packet);

  Table<Trail> trails_;  // by packet slot, and so are the next two
  Table<ShortSlower> slower_;
  std::vector<Time> lacked_;  // [ps]
  Table<Trail> earlier_;
  std::vector<std::uint32_t> free_;  // of these: the last of those of a packet
  std::vector<Delay> told_;
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
