#include "odonata/engine/waits.hpp"

#include <utility>

namespace odonata {

// Between two delays there are wires.
void Waits::go_on(Trail& trail, const Delay& delay) {
  if (trail.first == Trails::never) trail.first = trail.told = delay.tail;
  trails_.add(trail, WayPart::wire, 0, delay.tail - trail.told);
  trail.told = delay.end;
}

[[gnu::noinline]] void Waits::begin_slow_long(std::uint32_t packet, Delay delay) {
  slow_down_long(trails_.begin(packet), delay);
}

[[gnu::noinline]] void Waits::slow_down_long(Trail& trail, Delay delay) {
  go_on(trail, delay);
  trails_.add(trail, WayPart::transmission, delay.place, delay.end - delay.tail);
}

[[gnu::noinline]] void Waits::wait_long(Trail& trail, Delay delay, Time now, Time stalled) {
  const Time late = delay.end - delay.tail;
  const Waited waited(trail, now, stalled, late);
  go_on(trail, delay);
  trails_.add(trail, WayPart::queue, delay.place, waited.queue);
  trails_.add(trail, WayPart::credit, delay.place, waited.credit);
  trails_.add(trail, WayPart::transmission, delay.place, late - waited.queue - waited.credit);
}

const WayTimes& Waits::follow(std::uint32_t packet, std::int32_t nic, WayTimes& way) {
  const Trail& trail = trails_[packet];
  way.nic = nic;
  way.queue -= trail.credit;
  if (trail.first == Trails::never) return way;
  way.rest = std::exchange(way.wires, trail.first);
  way.waits = trails_.tell(trail);
  return way;
}

}  // namespace odonata
