#include "odonata/engine/waits.hpp"

namespace odonata {

void Waits::follow(std::uint32_t packet, std::int32_t nic, WayTimes& way) {
  const Trail& trail = trails_[packet];
  std::span<const Piece> pieces = trails_.tell(trail);
  way.nic = nic;
  for (; !pieces.empty() && pieces.front().link() == nic; pieces = pieces.subspan(1))
    way.queue -= pieces.front().time();
  if (trail.first == Trails::never) return;
  way.wires = trail.first;
  way.waits = pieces;
}

}  // namespace odonata
