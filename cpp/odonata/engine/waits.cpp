#include "odonata/engine/waits.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

void Waits::lack(std::uint32_t packet, Time credit) {
  if (lacked_.size() <= packet) lacked_.resize(packet + 1);
  lacked_[packet] = credit;
}

// A delay that is long is alone in an earlier trail.
[[gnu::noinline]] std::uint8_t Waits::add(Delayed packet, const Lateness& late, Waited waited) {
  if (packet.count == 0) give_back(trails_[packet.packet]);
  if (full(packet)) packet.count = begin_trail(packet);
  if (has_place(packet, late)) return keep(packet, late, waited);
  if (packet.count != 0 && packet.count != all_before) begin_trail(packet);
  Trail trail;
  trail.alone = {late, waited.queue, waited.credit};
  put_before(packet.packet, trail);
  return all_before;
}

[[gnu::noinline]] std::uint8_t Waits::begin_trail(Delayed packet) {
  Trail trail = trails_[packet.packet];
  trail.count = packet.count;
  put_before(packet.packet, trail);
  return all_before;
}

void Waits::put_before(std::uint32_t packet, const Trail& trail) {
  const std::uint32_t number = new_trail();
  earlier_[number] = trail;
  earlier_[number].before = std::exchange(trails_[packet].before, number);
}

// One that is free may have others before it.
std::uint32_t Waits::new_trail() {
  if (free_.empty()) {
    earlier_.emplace_back();
    return static_cast<std::uint32_t>(earlier_.size() - 1);
  }
  const std::uint32_t number = free_.back();
  if (earlier_[number].before == none)
    free_.pop_back();
  else
    free_.back() = earlier_[number].before;
  return number;
}

// The packet is gone, and its slot used again.
void Waits::give_back(Trail& trail) {
  if (trail.before != none) free_.push_back(std::exchange(trail.before, none));
}

std::span<const Delay> Waits::tell(Delayed packet) {
  const Trail& last = trails_[packet.packet];
  told_.clear();
  tell(last, packet.count & inside, packet.born);
  for (std::uint32_t number = last.before; number != none; number = earlier_[number].before) {
    const std::vector<Delay> later = std::exchange(told_, {});
    const Trail& trail = earlier_[number];
    if (trail.count == 0)
      tell(trail.alone.late, {trail.alone.queue, trail.alone.credit});
    else
      tell(trail, trail.count, packet.born);
    told_.insert(told_.end(), later.begin(), later.end());
  }
  return told_;
}

void Waits::tell(const Trail& trail, std::size_t count, Time born) {
  for (std::size_t i = 0; i < count; ++i) {
    const Late& late = trail.kept[i].late;
    const Time begin = born + late.begin;
    tell({trail.places[i], begin, begin + late.time}, {late.queue, late.credit});
  }
}

void Waits::tell(const Lateness& late, Waited waited) {
  const Time credit = late.begin + waited.queue, slower = credit + waited.credit;
  add_delay(told_, late.begin, WayPart::queue, late.place, waited.queue);
  add_delay(told_, credit, WayPart::credit, late.place, waited.credit);
  add_delay(told_, slower, WayPart::transmission, late.place, late.end - slower);
}

[[gnu::noinline]] void Waits::make_room(std::uint32_t packet) {
  trails_.resize(packet + 1);
  slower_.resize(packet + 1);
}

}  // namespace odonata
