#include "odonata/engine/ways.hpp"

#include <algorithm>

namespace odonata {

void Ways::make_room(std::uint32_t message) {
  hands_.resize(std::max<std::size_t>(message + 1, 2 * hands_.size()));
  firsts_.resize(hands_.size());
}

void Ways::begin_busy(std::int32_t node) {
  const auto number = static_cast<std::size_t>(node);
  if (nics_.size() <= number) nics_.resize(std::max(number + 1, 2 * nics_.size()));
  nics_[number] = {};
}

std::optional<Time> Ways::gaps_before(std::uint32_t message) const {
  const Hand& hand = hands_[message];
  const First& first = firsts_[message];
  if (first.before.halted || hand.queue() != first.start - hand.since) return {};
  return first.before.gaps;
}

void Ways::inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start) {
  Hand& hand = hands_[message];
  const bool first = hand.own == 0;
  if (first) firsts_[message] = {start.now, nics_[start.link]};
  hand.own += start.end - start.now;
  hand.credit = start.stalled - hand.stalled;
  hand.end = start.end;
  Trails::Trail& trail = trails_.begin(packet);
  trails_.add(trail, WayPart::queue, start.link, hand.queue());
  trails_.add(trail, WayPart::credit, start.link, hand.credit);
  trails_.add(trail, WayPart::serialization, start.link, hand.own);
  trails_.add(trail, WayPart::wire, start.link, start.delay);
}

void Ways::forward(std::uint32_t packet, const LinkStart& start, Time tail, bool queued) {
  Trails::Trail& trail = trails_[packet];
  const Time late = start.end - tail;
  const Queued wait = queued ? trail.joined.until(start.now, start.stalled) : Queued{};
  const Waited waited(wait, late);
  if (queued) {
    trails_.add(trail, WayPart::queue, start.link, waited.queue);
    trails_.add(trail, WayPart::credit, start.link, waited.credit);
  }
  trails_.add(trail, WayPart::transmission, start.link, late - waited.queue - waited.credit);
  trails_.add(trail, WayPart::wire, start.link, start.delay);
}

std::span<const Piece> Ways::tell_nic(std::uint32_t message, std::int32_t link) {
  const Hand& hand = hands_[message];
  nic_way_.clear();
  add_piece(nic_way_, WayPart::queue, link, hand.queue());
  add_piece(nic_way_, WayPart::credit, link, hand.credit);
  add_piece(nic_way_, WayPart::serialization, link, hand.own);
  return nic_way_;
}

}  // namespace odonata
