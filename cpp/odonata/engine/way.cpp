#include "odonata/engine/way.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace odonata {

void Ways::make_room(std::uint32_t message) {
  hands_.resize(std::max<std::size_t>(message + 1, 2 * hands_.size()));
  if (links_) firsts_.resize(hands_.size());
}

void Ways::make_trail(std::uint32_t packet) {
  num_trails_ = std::max<std::size_t>(packet + 1, 2 * num_trails_);
  storage_.resize(num_trails_ * stride_ / sizeof(Line));
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

void Ways::add_slowly(std::uint32_t packet, WayPart part, std::int32_t link, Time time) {
  for (; time > 0; time -= Piece::longest) {
    if (trail_of(packet).pieces == most_pieces_) widen();
    Trail& trail = trail_of(packet);
    pieces_of(trail)[trail.pieces++] = {part, link, std::min(time, Piece::longest)};
  }
}

// Gives every trail room for more than twice as many pieces.
void Ways::widen() {
  Table<Line> wider(2 * storage_.size());
  for (std::size_t i = 0; i < num_trails_; ++i)
    std::memcpy(wider.data()->bytes + i * 2 * stride_, storage_.data()->bytes + i * stride_,
                stride_);
  storage_ = std::move(wider);
  stride_ *= 2;
  most_pieces_ = (stride_ - sizeof(Trail)) / sizeof(Piece);
}

// A window or a gap between messages counts with the queue.
template <bool links>
void Ways::inject(std::uint32_t packet, std::uint32_t message, const LinkStart& start) {
  if (num_trails_ <= packet) make_trail(packet);
  Hand& hand = hands_[message];
  if (links && hand.own == 0) firsts_[message] = {start.now, nics_[start.link]};
  hand.own += start.end - start.now;
  hand.credit = start.stalled - hand.stalled;
  hand.end = start.end;
  Trail& trail = trail_of(packet);
  trail.told = start.end;
  trail.pieces = 0;
  if (!fits(trail, start.end - hand.since + (links ? start.delay : 0))) [[unlikely]] {
    add_slowly(packet, WayPart::queue, start.link, hand.queue());
    add_slowly(packet, WayPart::credit, start.link, hand.credit);
    add_slowly(packet, WayPart::serialization, start.link, hand.own);
    if (links) add_slowly(packet, WayPart::wire, start.link, start.delay);
    return;
  }
  Piece* const begin = pieces_of(trail);
  Piece* end = begin;
  add(end, WayPart::queue, start.link, hand.queue());
  add(end, WayPart::credit, start.link, hand.credit);
  add(end, WayPart::serialization, start.link, hand.own);
  if (links) add(end, WayPart::wire, start.link, start.delay);
  trail.pieces = static_cast<std::size_t>(end - begin);
}

// The tail is later by what its head has waited, unless the tail itself came later than that.
template <bool links>
void Ways::forward(std::uint32_t packet, const LinkStart& start, Time tail, bool queued) {
  Trail& trail = trail_of(packet);
  const Time late = start.end - tail;
  const Time wires = links ? start.delay : tail - std::exchange(trail.told, start.end);
  Time waited = 0, credit = 0;
  if (queued) {
    waited = std::min(start.now - trail.joined, late);
    credit = std::min(start.stalled - trail.stalled, waited);
  }
  if (!fits(trail, std::max(late, wires))) [[unlikely]] {
    if (!links) add_slowly(packet, WayPart::wire, 0, wires);
    add_slowly(packet, WayPart::queue, start.link, waited - credit);
    add_slowly(packet, WayPart::credit, start.link, credit);
    add_slowly(packet, WayPart::transmission, start.link, late - waited);
    if (links) add_slowly(packet, WayPart::wire, start.link, wires);
    return;
  }
  Piece* const begin = pieces_of(trail);
  Piece* end = begin + trail.pieces;
  if (!links) add(end, WayPart::wire, 0, wires);
  if (queued) {
    add(end, WayPart::queue, start.link, waited - credit);
    add(end, WayPart::credit, start.link, credit);
  }
  add(end, WayPart::transmission, start.link, late - waited);
  if (links) add(end, WayPart::wire, start.link, wires);
  trail.pieces = static_cast<std::size_t>(end - begin);
}

template void Ways::inject<false>(std::uint32_t, std::uint32_t, const LinkStart&);
template void Ways::inject<true>(std::uint32_t, std::uint32_t, const LinkStart&);
template void Ways::forward<false>(std::uint32_t, const LinkStart&, Time, bool);
template void Ways::forward<true>(std::uint32_t, const LinkStart&, Time, bool);

std::span<const Piece> Ways::tell_nic(std::uint32_t message, std::int32_t link) {
  const Hand& hand = hands_[message];
  nic_way_.clear();
  add_piece(nic_way_, WayPart::queue, link, hand.queue());
  add_piece(nic_way_, WayPart::credit, link, hand.credit);
  add_piece(nic_way_, WayPart::serialization, link, hand.own);
  return nic_way_;
}

std::span<const Piece> Ways::tell(std::int32_t place, Time now, Time delay) {
  Trail& trail = trail_of(delivered_);
  if (links_ || trail.told == now) return {pieces_of(trail), trail.pieces};
  const Time wires = now - delay - std::exchange(trail.told, now);
  if (!fits(trail, std::max(wires, delay))) [[unlikely]] {
    add_slowly(delivered_, WayPart::wire, 0, wires);
    add_slowly(delivered_, WayPart::wire, place, delay);
    Trail& moved = trail_of(delivered_);
    return {pieces_of(moved), moved.pieces};
  }
  Piece* const begin = pieces_of(trail);
  Piece* end = begin + trail.pieces;
  add(end, WayPart::wire, 0, wires);
  add(end, WayPart::wire, place, delay);
  trail.pieces = static_cast<std::size_t>(end - begin);
  return {begin, end};
}

}  // namespace odonata
