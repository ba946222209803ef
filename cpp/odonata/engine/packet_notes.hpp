// Notes of the packet engine, for the log and for who explains the run: part of packet.cpp.
#pragma once

#include <utility>

#include "odonata/engine/packet.hpp"

namespace odonata {

template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_hand_over(std::uint32_t message, const Transfer& transfer) {
  if (notes != Notes::all || !ways_) return;
  const std::int32_t node = transfer.from_node;
  if (idle(node)) ways_->begin_busy(node);
  ways_->hand_over(message, clock_.now, stalled_so_far(link_at(node)));
}

// A message that has been handed over has not left whole, or its sender will ask how it left.
template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_delay(std::uint32_t message, Flow& flow) {
  if (notes != Notes::waits || !flow.transfer.explained) return;
  waits_.hand_over(message, stalled_so_far(link_at(flow.transfer.from_node)));
  if (flow.crossing.packets == 0) flow.first = 1;
}

// The packet has just started. What starts when it is handed over has not waited for credit.
// Where packets keep their order, only the last one of the message decides.
template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_injection(std::int32_t node, std::uint32_t slot, Packet& packet,
                                          Flow& flow) {
  if constexpr (notes == Notes::waits) {
    if (!flow.transfer.explained) return;
    const bool begins = flow.crossing.packets == 1;
    const bool at_once = begins && std::exchange(flow.first, packet.number) == 0;
    if (flow.to_inject > 0) {
      if (begins) flow.in_order = routing_->has_one_route(link_at(node).to, packet.route.to);
      if (flow.in_order) return;
    }
    packet.route.noted = true;
    waits_.admit(slot);
    if (at_once) return;
    if (const Time credit = waits_.credit_of(packet.message, link_at(node).stalled_for); credit > 0)
        [[unlikely]] {
      packet.route.lacked = true;
      waits_.lack(slot, credit);
    }
  } else if (notes == Notes::all && ways_) {
    packet.route.noted = true;
    const LinkState& link = link_at(node);
    ways_->inject(slot, packet.message,
                  {node, clock_.now, link.free_at, link.stalled_for, hop_delay(link)});
  }
}

template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_queue(const LinkState& link, std::uint32_t slot) {
  if (notes == Notes::none) return;
  Packet& packet = packets_[slot];
  if (!packet.route.noted) return;
  if (notes == Notes::all) return ways_->enqueue(slot, clock_.now, stalled_so_far(link));
  packet.delay = waits_.place_for(packet.delay);
  waits_.join(packet.delay, {clock_.now, stalled_so_far(link)});
}

template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_start(std::int32_t link, int vc, const Packet& packet) {
  if (notes == Notes::all && log_.on()) log_.add({clock_.now, link, vc, packet.id()});
}

// A start on a later link than that of the NIC; the packet's tail is still that at the begin of it.
template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_forward(std::int32_t link, std::uint32_t slot, Packet& packet,
                                        Time end, bool queued) {
  if (notes == Notes::none || !packet.route.noted) return;
  if (notes == Notes::all) {
    const LinkState& state = link_at(link);
    return ways_->forward(slot,
                          {link, clock_.now, end, queued ? state.stalled_for : 0, hop_delay(state)},
                          packet.tail, queued);
  }
  if (queued)
    note_wait(link_at(link), packet, end);
  else if (end != packet.tail)
    note_slower_link(link_at(link), slot, end);
}

template <PacketNetwork::Notes notes>
inline void PacketNetwork::note_delivery(std::uint32_t slot) {
  if (notes == Notes::none) return;
  const Packet& packet = packets_[slot];
  if (notes == Notes::all && log_.on()) log_.add({clock_.now, none, packet.node, packet.id()});
  if (notes == Notes::waits) waits_.give_back(packet.delay);
  delivered_ = slot;
}

// A packet that started when its message was handed over is the first one, and has not waited.
inline Undelayed PacketNetwork::tell_undelayed(const Packet& packet, Time sent) const {
  if (packet.born != sent || nic_timing_->bytes != packet.bytes || packet.delay != Waits::nowhere)
    return {};
  const Time left = sent + nic_timing_->time;
  if (!packet.route.slowed) return {left};
  const Slower slower = waits_.slower(delivered_);
  return {left, slower.begin, slower.time};
}

// A delivery leads to the trail of its packet, and so does the wake of a link at whose head it is.
// Trails of ways are longer than those of waits, so they are fetched earlier.
inline void PacketNetwork::prefetch_ways(const Event* next) const {
  if (!ways_) return;
  if (kind_of(next[4].key) == Kind::wake) {
    const std::int32_t head = head_at(static_cast<std::int32_t>(slot_of(next[4].key)));
    if (head != none) ways_->prefetch(static_cast<std::uint32_t>(head));
  }
  if (kind_of(next[6].key) == Kind::deliver) ways_->prefetch(slot_of(next[6].key));
}

}  // namespace odonata
