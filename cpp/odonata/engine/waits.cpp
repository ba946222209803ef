#include "odonata/engine/waits.hpp"

#include <utility>

namespace odonata {

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
