#include "odonata/engine/way.hpp"

#include <algorithm>

namespace odonata {

namespace {

template <class Elements>
void make_room(Elements& elements, std::uint32_t number) {
  if (elements.size() <= number)
    elements.resize(std::max<std::size_t>(number + 1, 2 * elements.size()));
}

}  // namespace

void Ways::hand_over(std::uint32_t message, Time now, Time stalled) {
  make_room(hands_, message);
  hands_[message] = {now, stalled, 0, 0, now, now, {}};
}

void Ways::begin_busy(std::int32_t node) {
  make_room(nics_, static_cast<std::uint32_t>(node));
  nics_[node] = {};
}

std::optional<Time> Ways::gaps_before(std::uint32_t message) const {
  const Hand& hand = hands_[message];
  if (hand.before.halted || hand.queue() != hand.start - hand.since) return {};
  return hand.before.gaps;
}

void Ways::inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start) {
  make_room(trails_, packet);
  Hand& hand = hands_[message];
  if (hand.own == 0) {
    hand.start = start.now;
    hand.before = nics_[start.link];
  }
  hand.own += start.end - start.now;
  hand.credit = start.stalled - hand.stalled;
  hand.end = start.end;
  Trail& trail = trails_[packet];
  trail.head = start.now + start.delay;
  trail.stalled = 0;
  trail.way.clear();
  add_nic(hand, start.link, trail.way);
  add_piece(trail.way, WayPart::wire, start.link, start.delay);
}

// The tail is later by what its head has waited, unless the tail itself came later than that.
void Ways::forward(std::uint32_t packet, const LinkStart& start) {
  Trail& trail = trails_[packet];
  const Time late = start.end - start.tail;
  const Time waited = std::min(start.now - trail.head, late);
  const Time credit = waited > 0 ? std::min(start.stalled - trail.stalled, waited) : 0;
  add_piece(trail.way, WayPart::queue, start.link, waited - credit);
  add_piece(trail.way, WayPart::credit, start.link, credit);
  add_piece(trail.way, WayPart::transmission, start.link, late - waited);
  add_piece(trail.way, WayPart::wire, start.link, start.delay);
  trail.head = start.now + start.delay;
}

void Ways::tell(std::uint32_t message, std::int32_t link, Reached reached, Way& way) const {
  if (reached == Reached::network) return add_nic(hands_[message], link, way);
  const Way& whole = trails_[delivered_].way;
  way.insert(way.end(), whole.begin(), whole.end());
}

// A window or a gap between messages counts with the queue.
void Ways::add_nic(const Hand& hand, std::int32_t link, Way& way) {
  add_piece(way, WayPart::queue, link, hand.queue());
  add_piece(way, WayPart::credit, link, hand.credit);
  add_piece(way, WayPart::serialization, link, hand.own);
}

}  // namespace odonata
