// Ways of the packets in a network of packets for those who don't ask for links: how long they were
// held up, and where in general.
//
// A packet that nothing holds up leaves nothing to note, for its way follows from its start. One
// that waits in a queue has a trail with places for three delays, and earlier ones if there are
// more:
//
//     packet -> trail, 64 B: delay, delay, delay | -> an earlier trail -> ...
//
// Each packet itself knows its trail, so that most touch nothing here. Few have one at a time, and
// the latest that fell free is given first: it is in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "odonata/engine/waited.hpp"
#include "odonata/engine/way.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/key.hpp"
#include "odonata/event/table.hpp"

namespace odonata {

/// The delays of a packet, as it knows of them: the number of those in its last trail, and beside
/// it the bits `Waits::some` if it has a trail and `Waits::earlier` if there are earlier ones.
struct Delayed {
  std::uint32_t trail;  // its last, if it has some
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
  /// In the count of a packet that has a trail, and of one that has earlier ones.
  static constexpr std::uint8_t some = 4, earlier = 8;

  /// A message is handed to its NIC, whose link has been without credit for `stalled`.
  void hand_over(std::uint32_t message, Time stalled) { set(stalled_, message, stalled); }
  /// Time without credit of a message at its NIC, whose link has been without it for `stalled`.
  [[nodiscard]] Time credit_of(std::uint32_t message, Time stalled) const {
    return stalled - stalled_[message];
  }
  /// A packet lacked credit at its NIC.
  void lack(std::uint32_t packet, Time credit) { set(lacked_, packet, credit); }
  /// For how long it did [ps]; it did.
  [[nodiscard]] Time lacked(std::uint32_t packet) const { return lacked_[packet]; }

  /// A packet has started that may find slower links. Who notes one does not look for room, since a
  /// call there would burden all of them.
  void admit(std::uint32_t packet) {
    if (slower_.size() <= packet) [[unlikely]]
      make_room(slower_, packet);
  }
  /// Has the packet a trail with a place, so that it needs no other one?
  [[nodiscard]] static bool has_place(Delayed packet) {
    return (packet.count & some) != 0 && (packet.count & inside) != inside;
  }
  /// Gives the packet a trail; the one that it has is an earlier one from then on. Returns what the
  /// packet knows of its delays then.
  [[nodiscard]] Delayed begin_trail(Delayed packet) {
    if ((packet.count & some) != 0) [[unlikely]]
      return begin_another(packet);
    return {new_trail(), some, packet.born};
  }
  /// A packet whose trail has a place joins the queue of a link.
  void join(Delayed packet, const Joined& joined) {
    trails_[packet.trail].kept[packet.count & inside].joined = joined;
  }
  /// The queue that a packet has joined since it was delayed last.
  [[nodiscard]] Joined joined(Delayed packet) const {
    return trails_[packet.trail].kept[packet.count & inside].joined;
  }
  /// Keeps that the first link that delays an admitted packet is slower than those before. Returns
  /// whether the times are short enough for that.
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
  /// Are the times of a delay that ends at `end` short enough for a trail?
  [[nodiscard]] static bool fits(Delayed packet, Time end) { return end - packet.born <= longest; }
  /// Keeps in a trail that has a place how a link makes the packet late: it has been in a queue,
  /// and the link may be slower than those before. Returns the packet's count from then on.
  std::uint8_t keep(Delayed packet, const Lateness& late, const Queued& queued) {
    Trail& trail = trails_[packet.trail];
    const std::size_t place = packet.count & inside;
    trail.places[place] = static_cast<std::uint16_t>(late.place);
    trail.kept[place].late = {word(late.begin - packet.born), word(late.end - late.begin),
                              word(queued.time), word(queued.stalled)};
    return static_cast<std::uint8_t>(packet.count + 1);
  }
  /// Keeps it wherever there is a place, and returns what the packet knows of its delays then.
  [[nodiscard]] Delayed add(Delayed packet, const Lateness& late, const Queued& queued);
  /// The delays of a packet that has a trail, until those of another one are asked for.
  [[nodiscard]] std::span<const Delay> tell(Delayed packet);
  /// A packet that has a trail is gone. Its trails can be told until the next one is needed.
  void give_back(Delayed packet) {
    free_.push_back((packet.count & earlier) != 0 ? packet.trail | chained : packet.trail);
  }
  /// Trails that packets have.
  [[nodiscard]] std::size_t num_trails() const;
  /// The most trails that there were at a time.
  [[nodiscard]] std::size_t most_trails() const { return trails_.size(); }
  /// Fetches a trail into the cache. Who has none may ask for the first.
  void prefetch(std::uint32_t trail) const { fetch(trails_.data() + trail); }

 private:
  static constexpr std::uint8_t inside = 3;  // a trail
  static constexpr std::uint32_t none = 0xffffffff;
  // The bit of a free trail with others before it that are free as well.
  static constexpr std::uint32_t chained = 0x80000000;
  static_assert(most_slots < chained);
  static constexpr Time longest = std::numeric_limits<std::uint32_t>::max();
  struct ShortSlower {
    std::uint32_t begin, time;  // [ps]
  };
  struct Late {  // [ps]
    std::uint32_t begin;  // after the start of the packet
    std::uint32_t time, queued, stalled;
  };
  static std::uint32_t word(Time time) { return static_cast<std::uint32_t>(time); }
  union Place {
    Late late;
    Joined joined;  // in the place of the next delay: the queue that the packet is in
  };
  struct Long {  // a delay that is alone in an earlier trail, as it is
    Lateness late;
    Queued queued;
  };
  // In a line of the cache. Which parts there are is not foreseeable, and few are ever told.
  struct alignas(64) Trail {
    union {
      std::array<Place, inside> kept{};
      Long alone;
    };
    std::array<std::uint16_t, inside> places{};
    std::uint8_t count = 0;  // of an earlier trail; 0: one that is alone
    std::uint32_t before = none;  // the trail before it, where a packet has several
  };
  static_assert(sizeof(Trail) == 64);

  [[nodiscard]] std::span<const Delay> tell(const Trail& trail, std::size_t count, Time born);
  void put_in_front(const Trail& trail, Time born);
  /// Calls put(begin, part, place, time) for each part of a delay, even if it takes no time.
  template <class Put>
  static void split(const Lateness& late, const Queued& queued, Put put);
  // The line of the trail need not be there: what it was is not asked for.
  [[nodiscard]] std::uint32_t new_trail() {
    if (free_.empty() || (free_.back() & chained) != 0) [[unlikely]]
      return new_trail_otherwise();
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  [[nodiscard]] std::uint32_t new_trail_otherwise();
  [[nodiscard]] Delayed begin_another(Delayed packet);
  template <class T>
  static void set(Table<T>& table, std::uint32_t number, const std::type_identity_t<T>& what) {
    if (table.size() <= number) [[unlikely]]
      make_room(table, number);
    table[number] = what;
  }
  template <class T>
  [[gnu::noinline]] static void make_room(Table<T>& table, std::uint32_t number) {
    table.resize(std::max<std::size_t>(number + 1, 2 * table.size()));
  }

  Table<ShortSlower> slower_;  // by packet slot, and so is the next
  Table<Time> lacked_;  // [ps]
  Table<Trail> trails_;
  std::vector<std::uint32_t> free_;  // of these: the last of those of a packet
  std::array<Delay, 3 * inside> few_;  // of a trail
  std::vector<Delay> told_;  // of several
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
