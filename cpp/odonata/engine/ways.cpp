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
  nics_[number] = {0, false, passages_.latest()};
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
  if (first) firsts_[message] = {start.now, nics_[start.link], Passage::none};
  hand.own += start.end - start.now;
  hand.credit = start.stalled - hand.stalled;
  hand.end = start.end;
  hand.passage = add_passage(Passage::none, start);
  if (first) firsts_[message].passage = hand.passage;
  Trails::Trail& trail = trails_.begin(packet);
  trail.passage = hand.passage;
  trails_.add(trail, WayPart::queue, start.link, hand.queue());
  trails_.add(trail, WayPart::credit, start.link, hand.credit);
  trails_.add(trail, WayPart::serialization, start.link, hand.own);
  trails_.add(trail, WayPart::wire, start.link, start.delay);
}

std::uint64_t Ways::add_passage(std::uint64_t before, const LinkStart& start) {
  Passage passage;
  passage.start = start.now;
  passage.end = start.end;
  passage.link = static_cast<std::uint32_t>(start.link) & 0xffffff;
  passage.vc = static_cast<std::uint32_t>(start.vc) & 0xff;
  const std::uint64_t number = passages_.add(passage, before);
  paces_.keep_up();
  return number;
}

void Ways::forward(std::uint32_t packet, const LinkStart& start, Time tail, bool queued) {
  Trails::Trail& trail = trails_[packet];
  trail.passage = add_passage(trail.passage, start);
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

std::optional<Paced> Ways::pace_at_nic(std::uint32_t message, Time since) {
  const Hand& hand = hands_[message];
  if (hand.credit == 0 && (since != hand.since || hand.queue() == 0)) return {};
  return pace_up_to(hand.passage, message, since, false);
}

std::optional<Paced> Ways::pace_of(std::uint32_t packet, std::uint32_t message, Time since) {
  const Trails::Trail& trail = trails_[packet];
  bool waited = firsts_[message].passage != hands_[message].passage;
  const bool turned = since != hands_[message].since;
  const std::int32_t nic = turned ? trail.own[0].link() : -1;  // whose queue is that of the turn
  for (const Piece& piece : trails_.tell(trail))
    waited = waited || piece.part() == WayPart::credit ||
             (piece.part() == WayPart::queue && piece.link() != nic);
  if (!waited) return {};
  return pace_up_to(trail.passage, message, since, true);
}

Paced Ways::pace_up_to(std::uint64_t passage, std::uint32_t message, Time since, bool delivered) {
  const First& first = firsts_[message];
  const bool busy = since < hands_[message].since;
  passages_.remember(passages_.latest() - (busy ? first.before.latest : hands_[message].latest));
  const bool several = first.passage != hands_[message].passage;
  return {passage, passages_.latest(), std::min(since, first.start), first.start, several,
          busy,    delivered};
}

}  // namespace odonata
