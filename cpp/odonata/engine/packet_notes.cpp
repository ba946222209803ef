#include "odonata/engine/packet_notes.hpp"

namespace odonata {

// It has waited in the queue of the link.
void PacketNetwork::note_wait(std::int32_t link, std::uint32_t slot, Time tail, Time end) {
  waits_.wait(slot, {link_at(link).place, tail, end}, clock_.now, stalled_[link]);
}

// The link is slower than those before.
void PacketNetwork::note_slower_link(std::int32_t link, std::uint32_t slot, Time end) {
  Packet& packet = packets_[slot];
  const Delay delay{link_at(link).place, packet.tail, end};
  waits_.slow_down(slot, packet.route.has_trail, delay);
  packet.route.has_trail = true;
}

void PacketNetwork::note_credit(std::uint32_t slot, Packet& packet, Time credit) {
  waits_.begin(slot, credit);
  packet.route.has_trail = true;
}

std::span<const Piece> PacketNetwork::tell_way(std::uint32_t message, Reached reached) {
  if (!ways_) return {};
  if (reached == Reached::node) return ways_->tell(delivered_);
  return ways_->tell_nic(message, flows_[message].transfer.from_node);
}

std::optional<Paced> PacketNetwork::pace_of(std::uint32_t message, Reached reached, Time since) {
  if (!ways_) return {};
  if (reached == Reached::network) return ways_->pace_at_nic(message, since);
  return ways_->pace_of(delivered_, message, since);
}

// The times of a way that is kept link by link.
const WayTimes& PacketNetwork::tell_times_of_links(std::span<const Piece> way) {
  times_.rest = times_.wires = clock_.now;
  placed_.clear();
  for (const Piece& piece : way) {
    placed_.emplace_back(piece.part(), link_at(piece.link()).place, piece.time());
    times_.wires -= piece.time();
  }
  times_.queue = times_.credit = times_.serialization = times_.wires;
  times_.waits = placed_;
  return times_;
}

// A window or a gap between messages counts with the queue.
const WayTimes& PacketNetwork::tell_times_at_nic(std::uint32_t message) {
  const Flow& flow = flows_[message];
  const LinkState& nic = link_at(flow.transfer.from_node);
  const Bytes before = flow.crossing.packets - 1;
  const Bytes last = flow.transfer.bytes - before * options_.packet_bytes + options_.header_bytes;
  times_.nic = nic.place;
  times_.wires = times_.serialization = clock_.now;
  times_.waits = {};
  times_.credit = clock_.now - before * time_of_full(nic) - transmission_time(nic.link_class, last);
  times_.queue = times_.credit - waits_.credit(message, stalled_[flow.transfer.from_node]);
  return times_;
}

// The packets of a message leave one after the other, and all but the last are full.
const WayTimes& PacketNetwork::tell_times_of_several(const Flow& flow) {
  const Packet& packet = packets_[delivered_];
  const LinkState& nic = link_at(flow.transfer.from_node);
  const Time before = (packet.number - flow.first) * time_of_full(nic);
  const Time left = packet.born + transmission_time(nic.link_class, packet.bytes);
  return tell_times(packet, packet.born - before, left);
}

}  // namespace odonata
