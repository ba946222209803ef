// Ways of the packets in a network of packets for those who don't ask for links: how long they were
// held up, and where in general.
//
// A packet that nothing holds up leaves nothing to note, for its way follows from its start. Each
// packet itself knows how many delays are kept of it, so that one without any touches nothing here.
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
#include "odonata/event/long_list.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/event/table.hpp"

namespace odonata {

/// A packet of which it is kept how `count` links made it late.
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

  /// The latest queue that a packet joined.
  [[nodiscard]] const Joined& joined(std::uint32_t packet) const { return joined_[packet]; }
  /// A packet joins the queue of a link.
  void join(std::uint32_t packet, const Joined& joined) {
    if (joined_.size() <= packet) [[unlikely]]
      make_room(packet);
    joined_[packet] = joined;
  }
  /// Keeps that the first link that delays a packet is slower than those before. Returns whether
  /// the times are short enough for that.
  bool slow_down(std::uint32_t packet, Slower slower) {
    if ((slower.begin | slower.time) > longest) [[unlikely]]
      return false;
    if (slower_.size() <= packet) [[unlikely]]
      slower_.resize(packet + 1);
    slower_[packet] = {word(slower.begin), word(slower.time)};
    return true;
  }
  /// That link of a packet that has one.
  [[nodiscard]] Slower slower(std::uint32_t packet) const {
    return {slower_[packet].begin, slower_[packet].time};
  }
  /// Keeps how a link makes a packet late: it has waited, and the link may be slower than those
  /// before. Returns for how many links that is kept then.
  std::uint8_t add(Delayed packet, Lateness late, Waited waited) {
    const Time begin = late.begin - packet.born, time = late.end - late.begin;
    if (packet.count >= inside || packet.packet >= trails_.size() ||
        std::max(begin, time) > longest ||
        (packet.count == 0 && trails_[packet.packet].more != none)) [[unlikely]]
      return add_slowly(packet, late, waited);
    trails_[packet.packet].set(packet.count, late.place, begin, time, waited);
    return packet.count + 1;
  }
  /// The delays of a packet that has some, until those of another one are asked for.
  [[nodiscard]] std::span<const Delay> tell(Delayed packet);
  /// Fetches what is kept of a packet into the cache; of one in a queue when it joined that.
  void prefetch(std::uint32_t packet) const {
    if (packet < trails_.size()) fetch(&trails_[packet]);
  }
  void prefetch_queued(std::uint32_t packet) const {
    prefetch(packet);
    fetch(&joined_[packet]);
  }

 private:
  static constexpr std::uint8_t inside = 3;
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
  // In a line of the cache. Which parts there are is not foreseeable, and few are ever told.
  struct alignas(64) Trail {
    std::array<Late, inside> lates;
    std::array<std::uint16_t, inside> places;
    std::uint32_t more = none;  // where the delays are, unless they are here

    void set(std::size_t i, std::int32_t place, Time begin, Time time, Waited waited) {
      lates[i] = {word(begin), word(time), word(waited.queue), word(waited.credit)};
      places[i] = static_cast<std::uint16_t>(place);
    }
  };
  static_assert(sizeof(Trail) == 64);

  std::uint8_t add_slowly(Delayed packet, Lateness late, Waited waited);
  void give_back(Trail& trail);
  void make_room(std::uint32_t packet);

  Table<ShortSlower> slower_;  // by packet slot, and so are the next three
  LongList<Trail, std::size_t{1} << 17> trails_;
  Table<Joined> joined_;
  std::vector<Time> lacked_;  // [ps]
  Slots<std::vector<Delay>> elsewhere_;
  std::array<Delay, std::size_t{3} * inside> told_;
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
