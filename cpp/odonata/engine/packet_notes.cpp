#include "odonata/engine/packet_notes.hpp"

namespace odonata {

void PacketNetwork::note_late_start(std::int32_t link, std::uint32_t slot, Time end, bool queued) {
  Packet& packet = packets_[slot];
  const Delay delay{link_at(link).place, packet.tail, end};
  if (queued)
    waits_.wait(slot, delay, clock_.now, stalled_[link]);
  else
    waits_.slow_down(slot, packet.route.has_trail, delay);
  packet.route.has_trail = true;
}

void PacketNetwork::note_credit(std::uint32_t slot, Packet& packet, Time credit) {
  waits_.begin(slot, link_at(static_cast<std::int32_t>(packet.source)).place, credit);
  packet.route.has_trail = true;
}

std::span<const Piece> PacketNetwork::tell_way(std::uint32_t message, Reached reached) {
  if (!ways_) return {};
  if (reached == Reached::node) return ways_->tell(delivered_);
  return ways_->tell_nic(message, flows_[message].transfer.from_node);
}

// The times of a way that is kept link by link.
void PacketNetwork::tell_times_of_links(std::span<const Piece> way) {
  times_ = {};
  times_.end = times_.rest = times_.wires = clock_.now;
  placed_.clear();
  for (const Piece& piece : way) {
    placed_.emplace_back(piece.part(), link_at(piece.link()).place, piece.time());
    times_.wires -= piece.time();
  }
  times_.waits = placed_;
}

// A window or a gap between messages counts with the queue.
void PacketNetwork::tell_times_at_nic(std::uint32_t message) {
  const Flow& flow = flows_[message];
  const LinkState& nic = link_at(flow.transfer.from_node);
  const Bytes before = flow.crossing.packets - 1;
  const Bytes last = flow.transfer.bytes - before * options_.packet_bytes + options_.header_bytes;
  times_ = {};
  times_.nic = nic.place;
  times_.end = times_.rest = times_.wires = times_.serialization = clock_.now;
  times_.credit = clock_.now - before * time_of_full(nic) - transmission_time(nic.link_class, last);
  times_.queue = times_.credit - waits_.credit(message, stalled_[flow.transfer.from_node]);
}

}  // namespace odonata
