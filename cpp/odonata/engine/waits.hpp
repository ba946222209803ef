// Ways of the packets in a network of packets for those who don't ask for links: how long they were
// held up, and where in general.
//
// A packet that nothing holds up leaves nothing to note, for its way follows from its start. Each
// packet itself knows how many delays are noted of it, so that one without any touches nothing
// here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "odonata/engine/waited.hpp"
#include "odonata/engine/way.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/long_list.hpp"
#include "odonata/event/table.hpp"

namespace odonata {

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

  /// Time for which a packet lacked credit at its NIC, if it did [ps].
  [[nodiscard]] Time& credit(std::uint32_t packet) { return trail(packet).credit; }
  /// The latest queue that a packet joined.
  [[nodiscard]] Joined& joined(std::uint32_t packet) { return trail(packet).joined; }
  /// Keeps how a link makes a packet late of which `count` pieces are kept: it is slower than those
  /// before. Returns how many are kept then, `most` if it is more than there is room for.
  std::uint8_t slow_down(std::uint32_t packet, std::uint8_t count, const Lateness& late) {
    const Time time = late.end - late.begin;
    if (count > 0 || packet >= trails_.size() || time > Piece::longest) [[unlikely]]
      return add_all(packet, count, late, {});
    Trail& trail = trails_[packet];
    trail.first = late.begin;
    trail.told = late.end;
    trail.own[0] = {WayPart::transmission, late.place, time};
    return 1;
  }
  /// The same where the packet has waited for the link until now, which has been without credit for
  /// `stalled`.
  std::uint8_t wait(std::uint32_t packet, std::uint8_t count, const Lateness& late, Time now,
                    Time stalled) {
    Trail& trail = trails_[packet];
    const Time wire = count > 0 ? late.begin - trail.told : 0, time = late.end - late.begin;
    const Waited waited(trail.joined, now, stalled, time);
    if (count + 4 > inside || std::max(wire, time) > Piece::longest) [[unlikely]]
      return add_all(packet, count, late, waited);
    const Time slower = time - waited.queue - waited.credit;
    if (count == 0) trail.first = late.begin;
    trail.told = late.end;
    // It is not foreseeable which times are none.
    Piece* piece = &trail.own[count];
    *piece = {WayPart::wire, 0, wire};
    piece += wire > 0 ? 1 : 0;
    *piece = {WayPart::queue, late.place, waited.queue};
    piece += waited.queue > 0 ? 1 : 0;
    *piece = {WayPart::credit, late.place, waited.credit};
    piece += waited.credit > 0 ? 1 : 0;
    *piece = {WayPart::transmission, late.place, slower};
    piece += slower > 0 ? 1 : 0;
    return static_cast<std::uint8_t>(piece - trail.own.data());
  }
  /// Puts the delays of a packet of which `count` pieces are kept into its way.
  void tell(std::uint32_t packet, std::uint8_t count, WayTimes& way) const {
    const Trail& trail = trails_[packet];
    way.delayed = trail.first;
    way.delays = {trail.own.data(), count};
    if (count == most) [[unlikely]]
      way.delays = elsewhere_[packet];
  }
  /// Fetches what is kept of a packet into the cache.
  void prefetch(std::uint32_t packet) const {
    if (packet >= trails_.size()) return;
    fetch(&trails_[packet]);
    fetch(&trails_[packet].own[3]);
  }

 private:
  static constexpr std::uint8_t inside = 11, most = 12;
  struct alignas(64) Trail {  // of a packet
    Joined joined;
    Time credit = 0;  // [ps]
    Time first = 0, told = 0;  // [ps] begin and end of its pieces
    std::array<Piece, inside> own;  // unless there are more
  };
  static_assert(sizeof(Trail) == 128);

  Trail& trail(std::uint32_t packet) {
    if (trails_.size() <= packet) [[unlikely]]
      make_room(packet);
    return trails_[packet];
  }
  void make_room(std::uint32_t packet);
  std::uint8_t add(std::uint32_t packet, std::uint8_t count, WayPart part, std::int32_t place,
                   Time time);
  std::uint8_t add_elsewhere(std::uint32_t packet, std::uint8_t count, const Piece& piece);
  std::uint8_t add_all(std::uint32_t packet, std::uint8_t count, const Lateness& late,
                       const Waited& waited);

  LongList<Trail, std::size_t{1} << 17> trails_;  // by packet slot
  std::vector<Way> elsewhere_;  // by packet slot: where there are more than fit
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
