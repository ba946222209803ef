#include "odonata/engine/waits.hpp"

#include <utility>

namespace odonata {

void Waits::lack(std::uint32_t packet, Time credit) {
  if (lacked_.size() <= packet) lacked_.resize(packet + 1);
  lacked_[packet] = credit;
}

std::uint8_t Waits::add(Delayed packet, Lateness late, Waited waited) {
  if (trails_.size() <= packet.packet) make_room(packet.packet);
  if (packet.count == 0 && trails_[packet.packet].more != none) give_back(trails_[packet.packet]);
  const Time credit = late.begin + waited.queue, slower = credit + waited.credit;
  if (waited.queue > 0)
    packet.count = add(packet, WayPart::queue, {late.place, late.begin, credit});
  if (waited.credit > 0) packet.count = add(packet, WayPart::credit, {late.place, credit, slower});
  if (slower < late.end)
    packet.count = add(packet, WayPart::transmission, {late.place, slower, late.end});
  return packet.count;
}

// Delays that are too many or too long are elsewhere, all of the packet.
inline std::uint8_t Waits::add(Delayed packet, WayPart part, Lateness late) {
  const Time begin = late.begin - packet.born, time = late.end - late.begin;
  if (packet.count >= inside || std::max(begin, time) > longest) [[unlikely]]
    return add_elsewhere(packet, part, late);
  trails_[packet.packet].set(packet.count, begin, time, part, late.place);
  return packet.count + 1;
}

// A long time takes several pieces.
[[gnu::noinline]] std::uint8_t Waits::add_elsewhere(Delayed packet, WayPart part, Lateness late) {
  Trail& trail = trails_[packet.packet];
  if (packet.count <= inside) {
    const std::span<const Delay> before = tell(packet);
    trail.more = elsewhere_.add();
    elsewhere_[trail.more].assign(before.begin(), before.end());
  }
  for (Time begin = late.begin; begin < late.end; begin += Piece::longest)
    elsewhere_[trail.more].push_back(
        {begin, {part, late.place, std::min(late.end - begin, Piece::longest)}});
  return inside + 1;
}

std::span<const Delay> Waits::tell(Delayed packet) {
  const Trail& trail = trails_[packet.packet];
  if (packet.count > inside) return elsewhere_[trail.more];
  for (std::size_t i = 0; i < packet.count; ++i) told_[i] = trail.delay(i, packet.born);
  return {told_.data(), packet.count};
}

// The packet is gone, and its slot used again.
[[gnu::noinline]] void Waits::give_back(Trail& trail) {
  elsewhere_.remove(std::exchange(trail.more, none));
}

[[gnu::noinline]] void Waits::make_room(std::uint32_t packet) {
  trails_.resize(packet + 1);
  joined_.resize(packet + 1);
}

}  // namespace odonata
