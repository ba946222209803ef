// Functions of the packet engine for congestion control: messages wait at gates, and get grants.
#pragma once

#include "odonata/engine/packet.hpp"

namespace odonata {

// A message may begin while a message that began before it waits at its gate.
template <class Observer>
[[gnu::noinline]] bool PacketNetwork<Observer>::waits_for_gap(std::int32_t port) {
  const Nic& nic = nics_[port];
  const Departure& departure = departures_[nic.head];
  const bool begins = departure.to_inject == departure.transfer.bytes;
  if (!begins || nic.next_message <= clock_.now) return false;
  wake_by(port, nic.next_message);
  return true;
}

// Does the next packet of a port pass the gate of its destination? If not, its message leaves the
// queue of the NIC.
template <class Observer>
[[gnu::noinline]] bool PacketNetwork<Observer>::passes_gate(std::int32_t port, Bytes payload) {
  const Departure& departure = departures_[nics_[port].head];
  if (departure.granted) return true;
  const std::int32_t target = departure.transfer.to_port;
  if (gates_.admits(target, payload, clock_.now)) {
    gates_.enter(target, payload);
    return true;
  }
  wait_at_gate(port);
  return false;
}

template <class Observer>
void PacketNetwork<Observer>::wait_at_gate(std::int32_t port) {
  Nic& nic = nics_[port];
  LinkState& link = link_at(port);
  const std::int32_t message = nic.head;
  const Departure& departure = departures_[message];
  const std::int32_t target = departure.transfer.to_port;
  if (link.stalled) end_stall(link);
  nic.head = departure.next;
  gates_.wait(port, target, message);
  observer_.held(static_cast<std::uint32_t>(message), clock_.now, link.stalled_for);
  wake_by(gate_of(target), gates_.next_room(target));
}

// The granted packet of the message at the head has started; the rest of the message waits again.
template <class Observer>
[[gnu::noinline]] void PacketNetwork<Observer>::use_grant(std::int32_t port, std::int32_t message) {
  Departure& departure = departures_[message];
  const LinkState& link = link_at(port);
  const std::int32_t target = departure.transfer.to_port;
  const bool rest = departure.to_inject > 0;
  departure.granted = false;
  if (gates_.last_granted(port) == message) gates_.last_granted(port) = none;
  if (rest) {
    nics_[port].head = departure.next;
    observer_.held(static_cast<std::uint32_t>(message), link.free_at, link.stalled_for);
  }
  if (gates_.started(port, target, rest ? message : none)) wake_by(gate_of(target), clock_.now);
}

// Grants packets as long as there is room for the next.
template <class Observer>
[[gnu::noinline]] void PacketNetwork<Observer>::open_gate(std::int32_t target) {
  while (gates_.has_queue(target)) {
    const Bytes payload = next_payload(gates_.next_message(target));
    if (!gates_.has_room(target, payload, clock_.now))
      return wake_by(gate_of(target), gates_.next_room(target));
    let_in(gates_.grant(target, payload));
  }
}

// A message with a grant goes before the messages without, and behind others with one.
template <class Observer>
void PacketNetwork<Observer>::let_in(const Gates::Grant& grant) {
  const auto [port, message] = grant;
  Nic& nic = nics_[port];
  LinkState& link = link_at(port);
  std::int32_t& last = gates_.last_granted(port);
  std::int32_t& place = last == none ? nic.head : departures_[last].next;
  Departure& departure = departures_[message];
  departure.granted = true;
  departure.next = place;
  place = message;
  last = message;
  if (departure.next == none) nic.tail = message;
  observer_.released(static_cast<std::uint32_t>(message), clock_.now, stalled_so_far(link));
  if (link.free_at > clock_.now)
    wake_by(port, link.free_at);
  else
    pump(port);
}

}  // namespace odonata
