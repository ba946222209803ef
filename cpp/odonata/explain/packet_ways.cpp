#include "odonata/explain/packet_ways.hpp"

#include <algorithm>

#include "odonata/engine/packet_impl.hpp"

namespace odonata {

template class PacketNetwork<PacketWays>;

void PacketWays::submitted(const Submission& submission) {
  const auto [message, port, now, stalled, idle] = submission;
  if (at_nics_.size() <= message)
    at_nics_.resize(std::max<std::size_t>(message + 1, 2 * at_nics_.size()));
  const auto number = static_cast<std::size_t>(port);
  if (nics_.size() <= number) nics_.resize(std::max(number + 1, 2 * nics_.size()));
  if (idle) nics_[number] = {};
  at_nics_[message] = {port, now, stalled, 0, 0, 0, now, now, {}, {}};
}

std::optional<Time> PacketWays::gaps_before(std::uint32_t message) const {
  const AtNic& at_nic = at_nics_[message];
  if (at_nic.before.halted || at_nic.queue() != at_nic.first - at_nic.since) return {};
  return at_nic.before.gaps;
}

// A wait that ends before the link has sent the packet before takes no time.
void PacketWays::released(std::uint32_t message, Time now, Time stalled) {
  AtNic& at_nic = at_nics_[message];
  const Queued wait = at_nic.held_since.until(now, stalled);
  at_nic.held += std::max<Time>(0, wait.time - wait.stalled);
}

void PacketWays::started(std::uint32_t packet, std::uint32_t message, const LinkStart& start) {
  AtNic& at_nic = at_nics_[message];
  if (at_nic.own == 0) {
    at_nic.first = start.now;
    at_nic.before = nics_[start.link];
  }
  at_nic.own += start.end - start.now;
  at_nic.credit = start.stalled - at_nic.stalled;
  at_nic.end = start.end;
  PartialWays::PartialWay& way = ways_.begin(packet);
  ways_.add(way, WayPart::queue, start.link, at_nic.queue());
  ways_.add(way, WayPart::held, start.link, at_nic.held);
  ways_.add(way, WayPart::credit, start.link, at_nic.credit);
  ways_.add(way, WayPart::serialization, start.link, at_nic.own);
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
  const AtNic& at_nic = at_nics_[message];
  nic_way_.clear();
  add_piece(nic_way_, WayPart::queue, at_nic.port, at_nic.queue());
  add_piece(nic_way_, WayPart::held, at_nic.port, at_nic.held);
  add_piece(nic_way_, WayPart::credit, at_nic.port, at_nic.credit);
  add_piece(nic_way_, WayPart::serialization, at_nic.port, at_nic.own);
  return nic_way_;
}

}  // namespace odonata
