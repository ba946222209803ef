// Ways of the packets in a network of packets for those who don't ask for links: how long they were
// held up, and where in general.
//
// A packet that nothing holds up leaves nothing to note, for its way follows from its start. One
// that waits in a queue has a trail with places for three delays, and earlier ones if there are
// more:
//
//     packet -> trail, 64 B: delay, delay, delay | -> an earlier trail -> ...
//
// Each packet itself knows where its next delay will be, so that most touch nothing here. Few have
// a trail at a time, and the latest that fell free is given first: it is in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "odonata/engine/waited.hpp"
#include "odonata/engine/way.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/key.hpp"
#include "odonata/event/table.hpp"

namespace odonata {

/// The delays of a packet, as it knows of them.
struct Delayed {
  std::uint32_t next;  // the place of the next one in its last trail; `Waits::nowhere`: it has none
  Time born;  // [ps] start at its NIC
};

/// A link that is slower than those before adds `time` to that of its packet.
struct Slower {
  std::uint32_t begin;  // [ps] since the packet's start at its NIC
  std::uint32_t time;  // [ps]
};

/// By what a start on a later link makes a packet late.
struct Lateness {
  std::int32_t place;  // of the link
  Time begin;  // [ps] when the tail was at the begin of the link, ready
  Time end;  // [ps] of the transmission
};

class Waits {
 public:
  /// The place of the next delay of a packet that has no trail: behind those of one that is full.
  static constexpr std::uint32_t nowhere = 15;

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
  /// Is the place of the next delay in a trail, so that the packet needs no other one?
  [[nodiscard]] static bool has_place(std::uint32_t place) { return (place & full) != full; }
  /// The place of the next delay of a packet that has this one, or the first of a new trail if that
  /// is none. The trail that the packet has, if it has one, is an earlier one from then on. It is
  /// not foreseeable whether the packet needs a trail, so there is no branch.
  [[nodiscard]] std::uint32_t place_for(std::uint32_t place) {
    const bool needs = !has_place(place);
    const std::uint32_t last = free_[num_free_];
    if (needs && ((last & chained) | (place ^ nowhere)) != 0) [[unlikely]]
      return begin_trail(place);
    num_free_ -= needs ? 1 : 0;
    return needs ? first_of(last) : place;
  }
  /// A packet whose next delay has this place joins the queue of a link.
  void join(std::uint32_t place, const Joined& joined) {
    std::memcpy(&at(place), &joined, sizeof(joined));
  }
  /// The queue that it has joined since it was delayed last.
  [[nodiscard]] Joined joined(std::uint32_t place) const {
    Joined joined;
    std::memcpy(&joined, &at(place), sizeof(joined));
    return joined;
  }
  /// Keeps that the first link that delays an admitted packet is slower than those before, and so
  /// adds `time`, from `begin` after its start at its NIC on [ps]. Returns whether these are short
  /// enough for that.
  bool slow_down(std::uint32_t packet, Time begin, Time time) {
    if ((begin | time) > longest) [[unlikely]]
      return false;
    slower_[packet] = {word(begin), word(time)};
    return true;
  }
  /// That link of a packet that has one.
  [[nodiscard]] const Slower& slower(std::uint32_t packet) const { return slower_[packet]; }
  /// Are the times of a delay that ends at `end` short enough for a trail?
  [[nodiscard]] static bool fits(Delayed packet, Time end) { return end - packet.born <= longest; }
  /// Keeps in a trail that has a place how a link makes the packet late: it has been in a queue,
  /// and the link may be slower than those before. Returns the place of its next delay: the same
  /// if it is not late, which is not foreseeable, so there is no branch.
  std::uint32_t keep(Delayed packet, const Lateness& late, const Queued& queued) {
    at(packet.next) = {word(late.begin - packet.born), word(late.end - late.begin),
                       word(queued.time), word(queued.stalled),
                       static_cast<std::uint16_t>(late.place)};
    return packet.next + (late.end != late.begin ? words_of_delay : 0);
  }
  /// Keeps it wherever there is a place, and returns the one of the next delay.
  [[nodiscard]] std::uint32_t add(Delayed packet, const Lateness& late, const Queued& queued);
  /// The delays of a packet that has a trail, until those of another one are asked for.
  [[nodiscard]] std::span<const Delay> tell(Delayed packet);
  /// The packet whose next delay has this place is gone. Its trails, if it has some, can be told
  /// until the next one is needed. It is not foreseeable whether it has, so there is no branch.
  void give_back(std::uint32_t place) {
    free_[num_free_ + 1] = place;
    num_free_ += place != nowhere ? 1 : 0;
  }
  /// Trails that packets have.
  [[nodiscard]] std::size_t num_trails() const;
  /// The most trails that there were at a time.
  [[nodiscard]] std::size_t most_trails() const { return trails_.size() - 1; }
  /// Fetches into the cache the trail with this place, which may be nowhere.
  void prefetch(std::uint32_t place) const { fetch(&trails_[number(place)]); }

 private:
  // Places are numbered by words of four bytes, from the begin of all trails.
  static constexpr std::uint32_t words_of_delay = 5, words_of_trail = 16, full = nowhere;
  static constexpr std::size_t inside = full / words_of_delay;  // a trail
  // The bit of places in a trail that has an earlier one.
  static constexpr std::uint32_t chained = 0x80000000;
  static_assert(most_slots < chained / words_of_trail);
  static constexpr Time longest = std::numeric_limits<std::uint32_t>::max();
  struct Late {  // [ps]
    std::uint32_t begin;  // after the start of the packet
    std::uint32_t time, queued, stalled;
    std::uint16_t place;  // of the link
  };
  static std::uint32_t word(Time time) { return static_cast<std::uint32_t>(time); }
  struct Long {  // a delay that is alone in an earlier trail, as it is
    Lateness late;
    Queued queued;
  };
  // In a line of the cache. Which parts there are is not foreseeable, and few are ever told.
  // `Joined` in the place of the next delay is the queue that the packet is in.
  struct alignas(64) Trail {
    std::array<Late, inside> kept{};
    std::uint32_t before = nowhere;  // the place of the next delay in the trail before it; its
                                     // first one, if that has a long delay alone
  };
  static_assert(sizeof(Trail) == 4 * words_of_trail && sizeof(Late) == 4 * words_of_delay);
  static_assert(sizeof(Joined) <= sizeof(Late) && sizeof(Long) <= sizeof(Trail::kept));

  [[nodiscard]] Late& at(std::uint32_t place) {
    return *reinterpret_cast<Late*>(reinterpret_cast<std::uint32_t*>(trails_.data()) +
                                    (place & ~chained));
  }
  [[nodiscard]] const Late& at(std::uint32_t place) const {
    return const_cast<Waits*>(this)->at(place);
  }
  [[nodiscard]] static std::uint32_t number(std::uint32_t place) {
    return (place & ~chained) / words_of_trail;
  }
  [[nodiscard]] Trail& trail_of(std::uint32_t place) { return trails_[number(place)]; }
  [[nodiscard]] std::uint32_t before(std::uint32_t place) const {
    return (place & chained) == 0 ? nowhere : trails_[number(place)].before;
  }
  [[nodiscard]] std::span<const Delay> tell_trail(std::uint32_t next, Time born);
  void put_in_front(std::uint32_t next, Time born);
  /// Calls put(begin, part, place, time) for each part of a delay, even if it takes no time.
  template <class Put>
  static void split(const Lateness& late, const Queued& queued, Put put);
  [[nodiscard]] static std::uint32_t first_of(std::uint32_t place) {
    return place - place % words_of_trail;
  }
  [[nodiscard]] std::uint32_t begin_trail(std::uint32_t place) {
    return place == nowhere ? new_trail() : begin_another(place);
  }
  // The first place of a trail, whose line need not be there: what it was is not asked for.
  [[nodiscard]] std::uint32_t new_trail() {
    if ((free_[num_free_] & chained) != 0) [[unlikely]]
      return new_trail_otherwise();
    return first_of(free_[num_free_--]);
  }
  [[nodiscard]] std::uint32_t new_trail_otherwise();
  [[nodiscard]] std::uint32_t begin_another(std::uint32_t place);
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

  Table<Slower> slower_;  // by packet slot, and so is `lacked_`
  Table<Time> lacked_;  // [ps]
  Table<Trail> trails_ = Table<Trail>(1);  // the first one is nowhere
  std::vector<std::uint32_t> free_{chained, 0};  // last places of packets, behind an end,
  std::size_t num_free_ = 0;  // of whose trails so many are free, and room for as many as there are
  std::array<Delay, 3 * inside> few_;  // of a trail
  std::vector<Delay> told_;  // of several
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
