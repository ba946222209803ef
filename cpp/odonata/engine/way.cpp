#include "odonata/engine/way.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

void Ways::make_room(std::uint32_t message) {
  hands_.resize(std::max<std::size_t>(message + 1, 2 * hands_.size()));
  if (links_) firsts_.resize(hands_.size());
}

void Ways::make_trail(std::uint32_t packet) {
  trails_.resize(std::max<std::size_t>(packet + 1, 2 * trails_.size()));
  pieces_.resize(trails_.size() * stride_);
}

void Ways::begin_busy(std::int32_t node) {
  if (!links_) return;
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

// A window or a gap between messages counts with the queue.
void Ways::inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start) {
  if (trails_.size() <= packet) make_trail(packet);
  Hand& hand = hands_[message];
  if (links_ && hand.own == 0) firsts_[message] = {start.now, nics_[start.link]};
  hand.own += start.end - start.now;
  hand.credit = start.stalled - hand.stalled;
  hand.end = start.end;
  Trail& trail = trails_[packet];
  trail.told = start.end;
  trail.pieces = 0;
  add(packet, trail, WayPart::queue, start.link, hand.queue());
  add(packet, trail, WayPart::credit, start.link, hand.credit);
  add(packet, trail, WayPart::serialization, start.link, hand.own);
  if (links_) add(packet, trail, WayPart::wire, start.link, start.delay);
}

// The tail is later by what its head has waited, unless the tail itself came later than that.
void Ways::forward(std::uint32_t packet, const LinkStart& start) {
  Trail& trail = trails_[packet];
  const Time late = start.end - start.tail;
  Time waited = 0, credit = 0;
  if (start.queued) {
    waited = std::min(start.now - trail.joined, late);
    credit = std::min(start.stalled - trail.stalled, waited);
  }
  if (!links_)
    add(packet, trail, WayPart::wire, start.first,
        start.tail - std::exchange(trail.told, start.end));
  add(packet, trail, WayPart::queue, start.link, waited - credit);
  add(packet, trail, WayPart::credit, start.link, credit);
  add(packet, trail, WayPart::transmission, start.link, late - waited);
  if (links_) add(packet, trail, WayPart::wire, start.link, start.delay);
}

void Ways::add_slowly(std::uint32_t packet, WayPart part, std::int32_t link, Time time) {
  while (time > 0) {
    const Time most = std::min(time, Piece::longest);
    if (trails_[packet].pieces == stride_) widen();
    pieces_[packet * stride_ + trails_[packet].pieces++] = {part, link, most};
    time -= most;
  }
}

// Gives every trail room for twice as many pieces.
void Ways::widen() {
  Table<Piece> wider(2 * pieces_.size());
  for (std::size_t i = 0; i < trails_.size(); ++i)
    std::copy_n(&pieces_[i * stride_], trails_[i].pieces, &wider[i * 2 * stride_]);
  pieces_ = std::move(wider);
  stride_ *= 2;
}

std::span<const Piece> Ways::tell_nic(std::uint32_t message, std::int32_t link) {
  const Hand& hand = hands_[message];
  nic_way_.clear();
  add_piece(nic_way_, WayPart::queue, link, hand.queue());
  add_piece(nic_way_, WayPart::credit, link, hand.credit);
  add_piece(nic_way_, WayPart::serialization, link, hand.own);
  return nic_way_;
}

std::span<const Piece> Ways::tell(std::int32_t first, std::int32_t last, Time now, Time delay) {
  Trail& trail = trails_[delivered_];
  if (!links_ && trail.told != now) {
    add(delivered_, trail, WayPart::wire, first, now - delay - trail.told);
    add(delivered_, trail, WayPart::wire, last, delay);
    trail.told = now;
  }
  return {&pieces_[delivered_ * stride_], trail.pieces};
}

}  // namespace odonata
