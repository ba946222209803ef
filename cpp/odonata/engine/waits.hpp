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
  /// A packet is late because the link is slower than the one before.
  void slow_down(std::uint32_t packet, bool has_trail, const Delay& delay) {
    Trail& trail = has_trail ? trails_[packet] : trails_.begin(packet);
    go_on(trail, delay);
    trails_.add(trail, WayPart::transmission, delay.place, delay.end - delay.tail);
  }
  /// A packet is late because it has waited in the link's queue until now, and the link may be
  /// slower as well; the link has been without credit for `stalled`.
  void wait(std::uint32_t packet, const Delay& delay, Time now, Time stalled) {
    Trail& trail = trails_[packet];
    const Time late = delay.end - delay.tail;
    const Waited waited(trail, now, stalled, late);
    go_on(trail, delay);
    trails_.add(trail, WayPart::queue, delay.place, waited.queue);
    trails_.add(trail, WayPart::credit, delay.place, waited.credit);
    trails_.add(trail, WayPart::transmission, delay.place, late - waited.queue - waited.credit);
  }
  /// Puts what the trail of a packet knows into the way of its message, which has the times at the
  /// NIC, whose link has this place, its rest and its end.
  const WayTimes& follow(std::uint32_t packet, std::int32_t nic, WayTimes& way);
  /// Fetches the trail of a packet into the cache.
  void prefetch(std::uint32_t packet) const { trails_.prefetch(packet); }

 private:
  using Trail = Trails::Trail;

  // Between two delays there are wires.
  void go_on(Trail& trail, const Delay& delay) {
    if (trail.first == Trails::never)
      trail.first = delay.tail;
    else
      trails_.add(trail, WayPart::wire, 0, delay.tail - trail.told);
    trail.told = delay.end;
  }

  Trails trails_;
  Table<Time> stalled_;  // by message slot: of the injection link, when it was handed over [ps]
};

}  // namespace odonata
