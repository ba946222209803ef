#include "odonata/engine/waits.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

// A delay that is long is alone in a trail, and the trail behind it has places for the next ones.
[[gnu::noinline]] std::uint32_t Waits::add(Delayed packet, const Lateness& late,
                                           const Queued& queued) {
  const bool short_enough = fits(packet, late.end);
  if (!has_place(packet.next) || (!short_enough && packet.next % words_of_trail != 0))
    packet.next = begin_trail(packet.next);
  if (short_enough) return keep(packet, late, queued);
  const Long alone{late, queued};
  std::memcpy(trail_of(packet.next).kept.data(), &alone, sizeof(alone));
  return begin_trail(packet.next);
}

[[gnu::noinline]] std::uint32_t Waits::begin_another(std::uint32_t place) {
  const std::uint32_t next = new_trail();
  trail_of(next).before = place;
  return next | chained;
}

[[gnu::noinline]] std::uint32_t Waits::new_trail_otherwise() {
  if (num_free_ == 0) {
    trails_.emplace_back();
    free_.resize(trails_.size() + 1);
    return static_cast<std::uint32_t>(trails_.size() - 1) * words_of_trail;
  }
  std::uint32_t& last = free_[num_free_];
  const std::uint32_t place = number(last) * words_of_trail;
  last = trail_of(last).before;
  return place;
}

std::size_t Waits::num_trails() const {
  std::size_t num_free = 0;
  for (const std::uint32_t last : std::span(free_).subspan(1, num_free_))
    for (auto at = last; at != nowhere; at = before(at)) ++num_free;
  return most_trails() - num_free;
}

std::span<const Delay> Waits::tell(Delayed packet) {
  const std::span<const Delay> few = tell_trail(packet.next, packet.born);
  if ((packet.next & chained) == 0) return few;
  told_.assign(few.begin(), few.end());
  for (auto at = before(packet.next); at != nowhere; at = before(at)) put_in_front(at, packet.born);
  return told_;
}

void Waits::put_in_front(std::uint32_t next, Time born) {
  const std::vector<Delay> later = std::exchange(told_, {});
  if (next % words_of_trail == 0) {
    Long alone;
    std::memcpy(&alone, trail_of(next).kept.data(), sizeof(alone));
    split(alone.late, alone.queued, [this](auto... part) { add_delay(told_, part...); });
  } else {
    const std::span<const Delay> few = tell_trail(next, born);
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
std::span<const Delay> Waits::tell_trail(std::uint32_t next, Time born) {
  Delay* end = few_.data();
  const auto put = [&end](Time begin, WayPart part, std::int32_t place, Time time) {
    *end = {begin, {part, place, time}};
    end += time > 0 ? 1 : 0;
  };
  for (std::uint32_t place = next - next % words_of_trail; place != next; place += words_of_delay) {
    const Late& late = at(place);
    const Time begin = born + late.begin;
    split({late.place, begin, begin + late.time}, {late.queued, late.stalled}, put);
  }
  return {few_.data(), end};
}

}  // namespace odonata
