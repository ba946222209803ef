#include "odonata/engine/waits.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

// A delay that is long is alone in a trail, and the trail behind it has places for the next ones.
[[gnu::noinline]] Delayed Waits::add(Delayed packet, const Lateness& late, const Queued& queued) {
  const bool short_enough = fits(packet, late.end);
  if (!has_place(packet) || (!short_enough && (packet.count & inside) != 0))
    packet = begin_trail(packet);
  if (short_enough) return {packet.trail, keep(packet, late, queued), packet.born};
  trails_[packet.trail].alone = {late, queued};
  return begin_trail(packet);
}

[[gnu::noinline]] Delayed Waits::begin_another(Delayed packet) {
  const std::uint32_t number = new_trail();
  Trail& last = trails_[packet.trail];
  last.count = packet.count & inside;
  if ((packet.count & earlier) == 0) last.before = none;
  trails_[number].before = packet.trail;
  return {number, some | earlier, packet.born};
}

[[gnu::noinline]] std::uint32_t Waits::new_trail_otherwise() {
  if (free_.empty()) {
    trails_.emplace_back();
    return static_cast<std::uint32_t>(trails_.size() - 1);
  }
  const std::uint32_t number = free_.back() & ~chained;
  if (trails_[number].before == none)
    free_.pop_back();
  else
    free_.back() = trails_[number].before | chained;
  return number;
}

std::size_t Waits::num_trails() const {
  std::size_t num_free = 0;
  for (const std::uint32_t last : free_) {
    ++num_free;
    if ((last & chained) == 0) continue;
    for (auto at = trails_[last & ~chained].before; at != none; at = trails_[at].before) ++num_free;
  }
  return trails_.size() - num_free;
}

std::span<const Delay> Waits::tell(Delayed packet) {
  const Trail& last = trails_[packet.trail];
  const std::span<const Delay> few = tell(last, packet.count & inside, packet.born);
  if ((packet.count & earlier) == 0) return few;
  told_.assign(few.begin(), few.end());
  for (std::uint32_t number = last.before; number != none; number = trails_[number].before)
    put_in_front(trails_[number], packet.born);
  return told_;
}

void Waits::put_in_front(const Trail& trail, Time born) {
  const std::vector<Delay> later = std::exchange(told_, {});
  if (trail.count == 0) {
    split(trail.alone.late, trail.alone.queued,
          [this](auto... part) { add_delay(told_, part...); });
  } else {
    const std::span<const Delay> few = tell(trail, trail.count, born);
    told_.assign(few.begin(), few.end());
  }
  told_.insert(told_.end(), later.begin(), later.end());
}

// In the order of time: who waits is in the queue first.
template <class Put>
inline void Waits::split(const Lateness& late, const Queued& queued, Put put) {
  const Waited waited(queued, late.end - late.begin);
  const Time credit = late.begin + waited.queue, slower = credit + waited.credit;
  put(late.begin, WayPart::queue, late.place, waited.queue);
  put(credit, WayPart::credit, late.place, waited.credit);
  put(slower, WayPart::transmission, late.place, late.end - slower);
}

// Which parts a delay has is not foreseeable, so each is written, and stays if it takes time.
std::span<const Delay> Waits::tell(const Trail& trail, std::size_t count, Time born) {
  Delay* next = few_.data();
  const auto put = [&next](Time begin, WayPart part, std::int32_t place, Time time) {
    *next = {begin, {part, place, time}};
    next += time > 0 ? 1 : 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Late& late = trail.kept[i].late;
    const Time begin = born + late.begin;
    split({trail.places[i], begin, begin + late.time}, {late.queued, late.stalled}, put);
  }
  return {few_.data(), next};
}

}  // namespace odonata
