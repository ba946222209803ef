// Ways of the packets in a network of packets for those who don't ask for links: how long they were
// held up, and where in general.
//
// A packet that nothing holds up leaves nothing to note, for its way follows from its start. The
// trail of another begins when it first waits, or is the later for a slower link.
#pragma once

#include <algorithm>
#include <cstdint>

#include "odonata/engine/trails.hpp"

namespace odonata {

/// A start on a later link that makes a packet late.
struct Delay {
  std::int32_t place;  // of the link
  Time tail;  // [ps] when the tail was at the begin of the link, ready
  Time end;  // [ps] of the transmission, later than the tail
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
  [[nodiscard]] Time credit(std::uint32_t message, Time stalled) const {
    return stalled - stalled_[message];
  }
  /// The trail of a packet begins at its NIC, with a wait for credit.
  void begin(std::uint32_t packet, Time credit) { trails_.begin(packet).credit = credit; }
  /// A packet joins the queue of a link that has been without credit for `stalled`.
  void enqueue(std::uint32_t packet, bool has_trail, Time now, Time stalled) {
    Trail& trail = has_trail ? trails_[packet] : trails_.begin(packet);
    trail.joined = now;
    trail.stalled = stalled;
  }
  /// A packet without a trail is late because the link is slower than the one before.
  void begin_slow(std::uint32_t packet, const Delay& delay) {
    const Time late = delay.end - delay.tail;
    if (!trails_.has_clear(packet) || late > Piece::longest) [[unlikely]]
      return begin_slow_long(packet, delay);
    Trail& trail = trails_[packet];
    trail.first = delay.tail;
    trail.told = delay.end;
    trail.credit = 0;
    trail.pieces = 1;
    trail.own[0] = {WayPart::transmission, delay.place, late};
  }
  /// The same for a packet that has a trail.
  void slow_down(std::uint32_t packet, const Delay& delay) {
    Trail& trail = trails_[packet];
    const Time late = delay.end - delay.tail;
    if (trail.first == Trails::never) trail.first = trail.told = delay.tail;
    const Time wires = delay.tail - trail.told;
    if (!Trails::takes_short(trail, 2, std::max(late, wires))) [[unlikely]]
      return slow_down_long(trail, delay);
    trail.told = delay.end;
    Trails::add_short(trail, WayPart::wire, 0, wires);
    Trails::add_short(trail, WayPart::transmission, delay.place, late);
  }
  /// A packet is late because it has waited in the link's queue until now, and the link may be
  /// slower as well; the link has been without credit for `stalled`.
  void wait(std::uint32_t packet, const Delay& delay, Time now, Time stalled) {
    Trail& trail = trails_[packet];
    const Time late = delay.end - delay.tail;
    if (trail.first == Trails::never) trail.first = trail.told = delay.tail;
    const Time wires = delay.tail - trail.told;
    if (!Trails::takes_short(trail, 4, std::max(late, wires))) [[unlikely]]
      return wait_long(trail, delay, now, stalled);
    const Waited waited(trail, now, stalled, late);
    trail.told = delay.end;
    Trails::add_short(trail, WayPart::wire, 0, wires);
    Trails::add_short(trail, WayPart::queue, delay.place, waited.queue);
    if (waited.queue == late) [[likely]]
      return;
    Trails::add_short(trail, WayPart::credit, delay.place, waited.credit);
    Trails::add_short(trail, WayPart::transmission, delay.place,
                      late - waited.queue - waited.credit);
  }
  /// Puts what the trail of a packet knows into the way of its message, which has the times at the
  /// NIC, whose link has this place, its rest and its end.
  const WayTimes& follow(std::uint32_t packet, std::int32_t nic, WayTimes& way);
  /// Fetches the trail of a packet into the cache.
  void prefetch(std::uint32_t packet) const { trails_.prefetch(packet); }

 private:
  using Trail = Trails::Trail;

  void wait_long(Trail& trail, Delay delay, Time now, Time stalled);
  void begin_slow_long(std::uint32_t packet, Delay delay);
  void slow_down_long(Trail& trail, Delay delay);
  void go_on(Trail& trail, const Delay& delay);

  Trails trails_;
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
