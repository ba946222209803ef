#include "odonata/explain/packet_ways.hpp"

#include <algorithm>

#include "odonata/engine/packet_impl.hpp"

namespace odonata {

template class PacketNetwork<PacketWays>;

void PacketWays::submitted(const Submission& submission) {
  const auto [message, node, now, stalled, idle] = submission;
  if (hands_.size() <= message)
    hands_.resize(std::max<std::size_t>(message + 1, 2 * hands_.size()));
  const auto number = static_cast<std::size_t>(node);
  if (nics_.size() <= number) nics_.resize(std::max(number + 1, 2 * nics_.size()));
  if (idle) nics_[number] = {};
  hands_[message] = {node, now, stalled, 0, 0, now, now, {}};
}

std::optional<Time> PacketWays::gaps_before(std::uint32_t message) const {
  const Hand& hand = hands_[message];
  if (hand.before.halted || hand.queue() != hand.first - hand.since) return {};
  return hand.before.gaps;
}

void PacketWays::started(std::uint32_t packet, std::uint32_t message, const LinkStart& start) {
  Hand& hand = hands_[message];
  if (hand.own == 0) {
    hand.first = start.now;
    hand.before = nics_[start.link];
  }
  hand.own += start.end - start.now;
  hand.credit = start.stalled - hand.stalled;
  hand.end = start.end;
  PartialWays::PartialWay& way = ways_.begin(packet);
  ways_.add(way, WayPart::queue, start.link, hand.queue());
  ways_.add(way, WayPart::credit, start.link, hand.credit);
  ways_.add(way, WayPart::serialization, start.link, hand.own);
  ways_.add(way, WayPart::wire, start.link, start.delay);
}

void PacketWays::forwarded(std::uint32_t packet, const LinkStart& start, Time tail, bool queued) {
  PartialWays::PartialWay& way = ways_[packet];
  const Time late = start.end - tail;
  const Queued wait = queued ? way.joined.until(start.now, start.stalled) : Queued{};
  const Waited waited(wait, late);
  ways_.add(way, WayPart::queue, start.link, waited.queue);
  ways_.add(way, WayPart::credit, start.link, waited.credit);
  ways_.add(way, WayPart::transmission, start.link, late - waited.queue - waited.credit);
  ways_.add(way, WayPart::wire, start.link, start.delay);
}

std::span<const Piece> PacketWays::tell(std::uint32_t message, Reached reached) {
  if (reached == Reached::node) return ways_.tell(ways_[delivered_]);
  const Hand& hand = hands_[message];
  nic_way_.clear();
  add_piece(nic_way_, WayPart::queue, hand.node, hand.queue());
  add_piece(nic_way_, WayPart::credit, hand.node, hand.credit);
  add_piece(nic_way_, WayPart::serialization, hand.node, hand.own);
  return nic_way_;
}

}  // namespace odonata
