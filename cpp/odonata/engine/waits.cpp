#include "odonata/engine/waits.hpp"

#include <utility>

namespace odonata {

void Waits::lack(std::uint32_t packet, Time credit) {
  if (lacked_.size() <= packet) lacked_.resize(packet + 1);
  lacked_[packet] = credit;
}

namespace {

void add_delays(std::vector<Delay>& all, Lateness late, Waited waited) {
  const Time credit = late.begin + waited.queue, slower = credit + waited.credit;
  add_delay(all, late.begin, WayPart::queue, late.place, waited.queue);
  add_delay(all, credit, WayPart::credit, late.place, waited.credit);
  add_delay(all, slower, WayPart::transmission, late.place, late.end - slower);
}

}  // namespace

// Delays that are too many or too long are elsewhere, all of the packet.
[[gnu::noinline]] std::uint8_t Waits::add_slowly(Delayed packet, Lateness late, Waited waited) {
  if (trails_.size() <= packet.packet) make_room(packet.packet);
  Trail& trail = trails_[packet.packet];
  if (packet.count == 0 && trail.more != none) give_back(trail);
  const bool fits = std::max(late.begin - packet.born, late.end - late.begin) <= longest;
  if (packet.count < inside && fits) return add(packet, late, waited);
  if (packet.count <= inside) {
    const std::span<const Delay> before = tell(packet);
    trail.more = elsewhere_.add();
    elsewhere_[trail.more].assign(before.begin(), before.end());
  }
  add_delays(elsewhere_[trail.more], late, waited);
  return inside + 1;
}

std::span<const Delay> Waits::tell(Delayed packet) {
  const Trail& trail = trails_[packet.packet];
  if (packet.count > inside) return elsewhere_[trail.more];
  Delay* end = told_.data();
  for (std::size_t i = 0; i < packet.count; ++i) {
    const Late& late = trail.lates[i];
    Time begin = packet.born + late.begin;
    const auto tell_part = [&](WayPart part, Time time) {
      if (time == 0) return;
      *end++ = {begin, {part, trail.places[i], time}};
      begin += time;
    };
    tell_part(WayPart::queue, late.queue);
    tell_part(WayPart::credit, late.credit);
    tell_part(WayPart::transmission, Time{late.time} - late.queue - late.credit);
  }
  return {told_.data(), end};
}

// The packet is gone, and its slot used again.
[[gnu::noinline]] void Waits::give_back(Trail& trail) {
  elsewhere_.remove(std::exchange(trail.more, none));
}

[[gnu::noinline]] void Waits::make_room(std::uint32_t packet) {
  while (trails_.size() <= packet) trails_.push_back({});
  joined_.resize(packet + 1);
}

}  // namespace odonata
