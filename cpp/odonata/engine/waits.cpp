#include "odonata/engine/waits.hpp"

namespace odonata {

// Between two delays there are wires.
[[gnu::noinline]] std::uint8_t Waits::add_all(std::uint32_t packet, std::uint8_t count,
                                              const Lateness& late, const Waited& waited) {
  const Time time = late.end - late.begin;
  Time& told = trail(packet).told;
  if (count == 0) told = trail(packet).first = late.begin;
  count = add(packet, count, WayPart::wire, 0, late.begin - told);
  told = late.end;
  count = add(packet, count, WayPart::queue, late.place, waited.queue);
  count = add(packet, count, WayPart::credit, late.place, waited.credit);
  return add(packet, count, WayPart::transmission, late.place, time - waited.queue - waited.credit);
}

// A long time takes several pieces, and none takes none.
std::uint8_t Waits::add(std::uint32_t packet, std::uint8_t count, WayPart part, std::int32_t place,
                        Time time) {
  for (; time > 0; time -= Piece::longest) {
    const Piece piece{part, place, std::min(time, Piece::longest)};
    if (count < inside)
      trails_[packet].own[count++] = piece;
    else
      count = add_elsewhere(packet, count, piece);
  }
  return count;
}

std::uint8_t Waits::add_elsewhere(std::uint32_t packet, std::uint8_t count, const Piece& piece) {
  if (elsewhere_.size() <= packet) elsewhere_.resize(packet + 1);
  Way& all = elsewhere_[packet];
  if (count == inside) all.assign(trails_[packet].own.begin(), trails_[packet].own.end());
  all.push_back(piece);
  return most;
}

void Waits::make_room(std::uint32_t packet) {
  while (trails_.size() <= packet) trails_.push_back({});
}

}  // namespace odonata
