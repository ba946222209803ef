#include "odonata/engine/packet_notes.hpp"

namespace odonata {

// The link is slower than those before. That of a node has a category of its own.
void PacketNetwork::note_slower_link(const LinkState& link, std::uint32_t slot, Time end) {
  Packet& packet = packets_[slot];
  const Time begin = packet.tail - packet.born, time = end - packet.tail;
  const bool ejects = link.capacity == 0;
  if (ejects || packet.route.slowed || packet.delay != Waits::nowhere ||
      !waits_.slow_down(slot, begin, time)) [[unlikely]]
    return note_late(link, packet, end, false);
  packet.route.slowed = true;
}

// It has waited in the queue of the link, and has a place in its trail since it joined that.
void PacketNetwork::note_wait(const LinkState& link, Packet& packet, Time end) {
  const Delayed before = delays_of(packet);
  if (!Waits::fits(before, end)) [[unlikely]]
    return note_late(link, packet, end, true);
  packet.delay = waits_.keep(before, {link.place, packet.tail, end}, in_queue(link, packet));
}

// It may have waited in the queue of the link, which may be slower as well.
[[gnu::noinline]] void PacketNetwork::note_late(const LinkState& link, Packet& packet, Time end,
                                                bool queued) {
  const Lateness late{link.place, packet.tail, end};
  packet.delay = waits_.add(delays_of(packet), late, queued ? in_queue(link, packet) : Queued{});
}

inline Queued PacketNetwork::in_queue(const LinkState& link, const Packet& packet) const {
  return waits_.joined(packet.delay).until(clock_.now, link.stalled_for);
}

std::span<const Piece> PacketNetwork::tell_way(std::uint32_t message, Reached reached) {
  if (!ways_) return {};
  if (reached == Reached::node) return ways_->tell(delivered_);
  return ways_->tell_nic(message, flows_[message].transfer.from_node);
}

// The times of a way that is kept link by link.
const WayTimes& PacketNetwork::tell_times_of_links(std::span<const Piece> way) {
  Time time = clock_.now;
  for (const Piece& piece : way) time -= piece.time();
  times_.queue = times_.credit = times_.serialization = time;
  times_.slower = 0;
  delays_.clear();
  for (const Piece& piece : way) {
    delays_.push_back({time, {piece.part(), link_at(piece.link()).place, piece.time()}});
    time += piece.time();
  }
  times_.delays = delays_;
  times_.wires = clock_.now;
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
  times_.slower = 0;
  times_.delays = {};
  times_.credit = clock_.now - before * time_of_full(nic) - transmission_time(nic.link_class, last);
  times_.queue = times_.credit - waits_.credit_of(message, stalled_so_far(nic));
  return times_;
}

// The packets of a message leave one after the other, and all but the last are full. The one that
// arrived last began at the NIC when the queue of the message ended, or after others.
const WayTimes& PacketNetwork::tell_times_to_node(const Flow& flow) {
  const Packet& packet = packets_[delivered_];
  const LinkState& nic = link_at(0);  // all are alike, and the message's own is far from the cache
  times_.credit = packet.born - (packet.number - flow.first) * time_of_full(nic);
  times_.queue = times_.credit - (packet.route.lacked ? waits_.lacked(delivered_) : 0);
  times_.serialization = packet.born + transmission_time(nic.link_class, packet.bytes);
  times_.delays = {};
  times_.slower = 0;
  if (packet.route.slowed) {
    const Slower slower = waits_.slower(delivered_);
    times_.ahead = packet.born + slower.begin;
    times_.slower = times_.ahead + slower.time;
  }
  if (packet.delay != Waits::nowhere) times_.delays = waits_.tell(delays_of(packet));
  times_.wires = clock_.now - last_link_;
  times_.nic = nic.place;
  return times_;
}

}  // namespace odonata
