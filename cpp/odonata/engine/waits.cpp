#include "odonata/engine/waits.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

// A delay that is long is alone in an earlier trail.
[[gnu::noinline]] std::uint8_t Waits::add(Delayed packet, const Lateness& late,
                                          const Queued& queued) {
  const bool short_enough = fits(packet, late.end);
  if (full(packet) || (!short_enough && (packet.count & inside) != 0))
    packet.count = begin_trail(packet);
  if (short_enough) return keep(packet, late, queued);
  Trail trail;
  trail.alone = {late, queued};
  put_before(packet, trail);
  return earlier;
}

[[gnu::noinline]] std::uint8_t Waits::begin_trail(Delayed packet) {
  Trail trail = trails_[packet.packet];
  trail.count = packet.count & inside;
  put_before(packet, trail);
  return earlier;
}

void Waits::put_before(Delayed packet, const Trail& trail) {
  const std::uint32_t number = new_trail();
  earlier_[number] = trail;
  const std::uint32_t last = std::exchange(trails_[packet.packet].before, number);
  earlier_[number].before = (packet.count & earlier) != 0 ? last : none;
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

std::size_t Waits::num_earlier() const {
  std::size_t num_free = 0;
  for (std::uint32_t number : free_)
    for (; number != none; number = earlier_[number].before) ++num_free;
  return earlier_.size() - num_free;
}

std::span<const Delay> Waits::tell(Delayed packet) {
  const Trail& last = trails_[packet.packet];
  const std::span<const Delay> few = tell(last, packet.count & inside, packet.born);
  if ((packet.count & earlier) == 0) return few;
  told_.assign(few.begin(), few.end());
  for (std::uint32_t number = last.before; number != none; number = earlier_[number].before)
    put_in_front(earlier_[number], packet.born);
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

[[gnu::noinline]] void Waits::make_room(std::uint32_t packet) {
  room_ = (packet / at_a_time + 1) * at_a_time;
  trails_.resize(room_);
  slower_.resize(room_);
}

[[gnu::noinline]] void Waits::make_room_for_credit() { lacked_.resize(trails_.size()); }

}  // namespace odonata
