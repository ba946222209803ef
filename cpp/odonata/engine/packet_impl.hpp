// Functions of the packet engine, for who makes one with an observer of its own.
#pragma once

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "odonata/engine/packet.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

template <class Observer>
PacketNetwork<Observer>::PacketNetwork(const Machine& machine, const EngineOptions& options,
                                       Clock& clock, Receiver& receiver, Observer& observer)
    : machine_(machine),
      options_(options),
      clock_(clock),
      receiver_(receiver),
      observer_(observer),
      routing_(make_routing(machine, options.routing)),
      num_ports_(machine.num_ports()),
      identities_(static_cast<std::uint32_t>(num_ports_)),
      gates_(num_ports_, options.congestion_bytes, options.congestion_delay),
      controlled_(options.congestion_bytes > 0),
      interleaves_(controlled_ || options.in_turns),
      counts_on_way_(options.window_bytes > 0 || controlled_) {
  build_links();
  clock_.prefetchers.push_back(this);
}

template <class Observer>
void PacketNetwork<Observer>::build_links() {
  const Bytes packet_bytes = options_.packet_bytes + options_.header_bytes;
  const auto count = machine_.links.size() + static_cast<std::size_t>(gates_.count());
  int most_vcs = 1;
  for (std::size_t c = 0; c < machine_.classes.size(); ++c) {
    const LinkClass& link_class = machine_.classes[c];
    class_vcs_.push_back(routing_->num_vcs(static_cast<int>(c)));
    most_vcs = std::max(most_vcs, class_vcs_.back());
    timing_.push_back({link_class.bandwidth, 0, link_class.credit_delay});
  }
  const std::size_t lines = 1 + static_cast<std::size_t>(most_vcs);
  stride_ = lines * sizeof(CacheLine);
  storage_.resize(lines * count);
  first_link_ = storage_.data()->bytes;
  waiting_.resize(machine_.classes.size());
  nics_.resize(num_ports_);
  for (std::int32_t i = 0; i < machine_.num_links(); ++i) {
    const Link& link = machine_.links[i];
    const LinkClass& c = machine_.class_of(i);
    if (!ejects(i) && packet_bytes > c.buffer_bytes)
      throw UserError("packet size with its header [B]: out of range", packet_bytes,
                      "up to " + std::to_string(c.buffer_bytes) + ", the buffer of " + c.name +
                          " links");
    auto* state = new (place_of(i)) LinkState;
    timing_[link.link_class].hop_delay = machine_.hop_delay(i);
    state->to = link.to;
    state->capacity = ejects(i) ? 0 : static_cast<std::int32_t>(c.buffer_bytes);
    state->link_class = static_cast<std::uint8_t>(link.link_class);
    for (int vc = 0; vc < num_vcs(i); ++vc) new (&channel_at(i, vc)) Channel;
  }
  for (std::int32_t port = 0; port < gates_.count(); ++port)
    new (place_of(gate_of(port))) LinkState;
  loads_ = Loads(&link_at(0).waiting_bytes, stride_);
}

template <class Observer>
void PacketNetwork<Observer>::process(const Event& event) {
  const std::uint32_t entity = slot_of(event.key);
  switch (kind_of(event.key)) {
    case Kind::arrive: return arrive(entity);
    case Kind::deliver: return deliver(entity);
    case Kind::wake: return wake(static_cast<std::int32_t>(entity));
    case Kind::injected: return receiver_.injected(entity);
    default: throw InternalError("packet engine: an event of a kind that is not its own");
  }
}

// The wake of a link leads to the packet at its head, and to the buffer that this one leaves.
template <class Observer>
void PacketNetwork<Observer>::prefetch(const Event* next) const {
  prefetch_entity(next[7]);
  prefetch_head(next[4]);
  prefetch_behind(next[2]);
  if (routing_->has_tables()) prefetch_route(next[1]);
  if constexpr (!std::is_same_v<Observer, NoObserver>) prefetch_observed(next);
}

// A delivery leads to the observer's record of its packet, and so does the wake of a link at whose
// head the packet is.
template <class Observer>
void PacketNetwork<Observer>::prefetch_observed(const Event* next) const {
  if (kind_of(next[4].key) == Kind::wake) {
    const std::int32_t head = head_at(static_cast<std::int32_t>(slot_of(next[4].key)));
    if (head != none) observer_.prefetch(static_cast<std::uint32_t>(head));
  }
  if (kind_of(next[6].key) == Kind::deliver) observer_.prefetch(slot_of(next[6].key));
}

template <class Observer>
[[gnu::always_inline]] inline void
PacketNetwork<Observer>::prefetch_entity(const Event& later) const {
  const Kind kind = kind_of(later.key);
  const std::uint32_t entity = slot_of(later.key);
  if (kind <= Kind::deliver) {
    fetch(&packets_[entity]);
  } else if (kind == Kind::wake) {
    prefetch_link(static_cast<std::int32_t>(entity), 0);
    if (port_link(static_cast<std::int32_t>(entity))) fetch(&nics_[entity]);
  }
}

template <class Observer>
[[gnu::always_inline]] inline void PacketNetwork<Observer>::prefetch_head(const Event& soon) const {
  if (kind_of(soon.key) != Kind::wake) return;
  const std::int32_t head = head_at(static_cast<std::int32_t>(slot_of(soon.key)));
  if (head != none) fetch(&packets_[static_cast<std::uint32_t>(head)]);
}

template <class Observer>
[[gnu::always_inline]] inline void
PacketNetwork<Observer>::prefetch_behind(const Event& soon) const {
  const std::uint32_t entity = slot_of(soon.key);
  if (kind_of(soon.key) == Kind::arrive) {
    const Packet& packet = packets_[entity];
    fetch(&channel_at(packet.at.link(), packet.at.vc()));
    if (packet.out.known()) prefetch_link(packet.out.link(), packet.out.vc());
  } else if (kind_of(soon.key) == Kind::deliver) {
    fetch(&arrivals_[packets_[entity].message]);
  } else if (kind_of(soon.key) == Kind::wake) {
    const std::int32_t head = head_at(static_cast<std::int32_t>(entity));
    if (head == none) return;
    const Packet& packet = packets_[static_cast<std::uint32_t>(head)];
    fetch(&channel_at(packet.at.link(), packet.at.vc()));
  }
}

// A packet that starts on a link asks for its hop at the router behind. Tables look at no loads, so
// a packet that arrives has its next link.
template <class Observer>
[[gnu::noinline]] void PacketNetwork<Observer>::prefetch_route(const Event& soon) const {
  const auto entity = static_cast<std::int32_t>(slot_of(soon.key));
  const Kind kind = kind_of(soon.key);
  if (kind != Kind::arrive && kind != Kind::wake) return;
  const std::int32_t slot = kind == Kind::wake ? head_at(entity) : entity;
  if (slot == none) return;
  const Packet& packet = packets_[static_cast<std::uint32_t>(slot)];
  const LinkState& link = link_at(kind == Kind::wake ? entity : packet.out.link());
  if (link.capacity > 0) routing_->fetch_hop(packet.route, link.to);
}

template <class Observer>
void PacketNetwork<Observer>::send(std::uint32_t message, const Transfer& transfer) {
  if (departures_.size() <= message) {
    const std::size_t size = std::max<std::size_t>(message + 1, 2 * departures_.size());
    departures_.resize(size);
    arrivals_.resize(size);
  }
  departures_[message] = {transfer, false, none, transfer.bytes};
  arrivals_[message] = {transfer.bytes, {}};
  Nic& nic = nics_[transfer.from_port];
  add_bytes(totals_.injected_bytes, transfer.bytes);
  const std::int32_t port = transfer.from_port;
  observer_.submitted({message, port, clock_.now, stalled_so_far(link_at(port)), idle(port)});
  const auto slot = static_cast<std::int32_t>(message);
  if (options_.in_turns && !turns_.join(slot, transfer)) [[unlikely]]
    return;
  const bool first = nic.head == none;
  join(port, slot);
  if (first) {
    if (link_at(transfer.from_port).free_at <= clock_.now)
      pump(transfer.from_port);
    else
      wake_by(transfer.from_port, link_at(transfer.from_port).free_at);
  }
}

template <class Observer>
inline void PacketNetwork<Observer>::join(std::int32_t port, std::int32_t message) {
  Nic& nic = nics_[port];
  (nic.head == none ? nic.head : departures_[nic.tail].next) = message;
  nic.tail = message;
}

// Starts the next packet of a port if its link is free.
template <class Observer>
void PacketNetwork<Observer>::pump(std::int32_t port) {
  LinkState& link = link_at(port);
  Nic& nic = nics_[port];
  if (nic.head == none || link.free_at > clock_.now) return;
  for (std::int32_t tried = nic.head; !inject_packet(port); tried = nic.head) {
    observer_.halted(port);
    if (nic.head == tried || nic.head == none) return;  // else a gate has taken the message away
  }
  if (nic.head != none) wake_by(port, link.free_at);
}

// May the next packet of a port start on its free link? A port that may not is woken when there is
// room.
template <class Observer>
[[gnu::always_inline]] inline bool
PacketNetwork<Observer>::may_start(std::int32_t port, Bytes payload, std::int32_t bytes) {
  const Nic& nic = nics_[port];
  if (interleaves_ && waits_for_gap(port)) [[unlikely]]
    return false;
  if (options_.window_bytes > 0 && nic.in_flight > 0 &&
      nic.in_flight + payload > options_.window_bytes)
    return false;
  if (!has_room(link_at(port), channel_at(port, 0), bytes)) {
    stall(port);
    return false;
  }
  return !controlled_ || passes_gate(port, payload);
}

// Cuts the next packet from the message at the head; false if window, buffer or gate have no room.
template <class Observer>
bool PacketNetwork<Observer>::inject_packet(std::int32_t port) {
  Nic& nic = nics_[port];
  const auto message = static_cast<std::uint32_t>(nic.head);
  Departure& departure = departures_[message];
  const Bytes payload = std::min(departure.to_inject, options_.packet_bytes);
  const auto bytes = static_cast<std::int32_t>(payload + options_.header_bytes);
  if (!may_start(port, payload, bytes)) return false;
  const std::uint32_t slot = new_packet();
  Packet& packet = packets_[slot];
  packet.born = clock_.now;
  packet.source = static_cast<std::uint32_t>(port) & low24;
  packet.number = nic.sent++;
  packet.message = message;
  packet.bytes = bytes;
  packet.port = departure.transfer.to_port;
  packet.route = routing_->start(port, packet.port, machine_.port_router[packet.port]);
  ++totals_.packets;
  const bool begins = departure.to_inject == departure.transfer.bytes;
  departure.to_inject -= payload;
  if (options_.window_bytes > 0) nic.in_flight += payload;
  transmit(port, 0, slot, false);
  LinkStart start = start_on(port, link_at(port).free_at);
  start.delay += options_.fetch_time(departure.transfer);
  observer_.started(slot, message, start);
  const bool ends = departure.to_inject == 0;
  if (ends) {
    nic.head = departure.next;
    if (departure.transfer.tell_injected)
      clock_.at(link_at(port).free_at, Kind::injected,
                identities_.entity(port, packet.number, message));
  }
  if (options_.message_gap > 0) [[unlikely]]
    keep_gap(port, begins, ends);
  if (departure.granted) [[unlikely]]
    use_grant(port, static_cast<std::int32_t>(message));
  if (options_.in_turns) [[unlikely]]
    end_turn(port, static_cast<std::int32_t>(message), ends);
  return true;
}

// A destination that has had its turn goes to the end of the queue, if there is more for it.
template <class Observer>
[[gnu::noinline]] void PacketNetwork<Observer>::end_turn(std::int32_t port, std::int32_t message,
                                                         bool ends) {
  Departure& departure = departures_[message];
  if (!ends) nics_[port].head = std::exchange(departure.next, none);
  const std::int32_t next = ends ? turns_.leave(message, departure.transfer) : message;
  if (next != none) join(port, next);
}

// A packet with which the message at a port begins or ends, or neither, has started.
template <class Observer>
void PacketNetwork<Observer>::keep_gap(std::int32_t port, bool begins, bool ends) {
  Nic& nic = nics_[port];
  if (begins) nic.next_message = clock_.now + options_.message_gap;
  LinkState& link = link_at(port);
  if (!ends || interleaves_ || nic.next_message <= link.free_at) return;
  link.free_at = nic.next_message;
  observer_.kept_gap(port, options_.message_gap);
}

// The next link and virtual channel of a packet at this router.
template <class Observer>
inline void PacketNetwork<Observer>::plan(Packet& packet, std::int32_t router) {
  Hop hop{machine_.ejection(packet.port), 0};
  if (!routing_->arrived(packet.route, router))
    hop = routing_->next(packet.route, router, packet.id().bits(), loads_);
  packet.out = {hop.link, hop.vc};
}

// A link that is free looks again whenever a packet joins. In the instant in which it falls free it
// waits for its wake instead, so that age decides between all that are there.
template <class Observer>
void PacketNetwork<Observer>::arrive(std::uint32_t slot) {
  Packet& packet = packets_[slot];
  if (!packet.out.known()) plan(packet, link_at(packet.at.link()).to);
  const std::int32_t out = packet.out.link();
  const int vc = packet.out.vc();
  LinkState& link = link_at(out);
  Channel& channel = channel_at(out, vc);
  const bool looks = link.free_at <= clock_.now && (link.waiting == 0 || link.stalled);
  if (looks && link.waiting == 0 && has_room(link, channel, packet.bytes))
    return transmit(out, vc, slot, false);
  enqueue(out, vc, slot);
  if (link.free_at > clock_.now)
    wake_by(out, link.free_at);
  else if (looks)
    arbitrate(out);
}

// Oldest first within a virtual channel; equals keep their order of arrival.
template <class Observer>
void PacketNetwork<Observer>::enqueue(std::int32_t link_id, int vc, std::uint32_t slot) {
  LinkState& link = link_at(link_id);
  Channel& channel = channel_at(link_id, vc);
  Packet& packet = packets_[slot];
  const auto index = static_cast<std::int32_t>(slot);
  packet.next = none;
  if (channel.head == none) {
    channel.head = channel.tail = index;
    link.waiting |= 1U << vc;
  } else if (packets_[static_cast<std::uint32_t>(channel.tail)].born <= packet.born) {
    packets_[static_cast<std::uint32_t>(channel.tail)].next = index;
    channel.tail = index;
  } else {
    insert(channel, packet, index);
  }
  link.waiting_bytes += packet.bytes;
  waiting_[link.link_class] += packet.bytes;
  link.peak_waiting = std::max(link.peak_waiting, link.waiting_bytes);
  observer_.queued(slot, clock_.now, stalled_so_far(link));
}

// A packet joins before the tail. The packets of a message come one after the other and belong side
// by side, so the search begins at the latest that joined this way, unless that one is younger.
template <class Observer>
void PacketNetwork<Observer>::insert(Channel& channel, Packet& packet, std::int32_t index) {
  const auto at = [this](std::int32_t i) -> Packet& {
    return packets_[static_cast<std::uint32_t>(i)];
  };
  std::int32_t* place = &channel.head;
  if (channel.between != none && at(channel.between).born <= packet.born)
    place = &at(channel.between).next;
  while (at(*place).born <= packet.born) place = &at(*place).next;
  packet.next = *place;
  *place = index;
  channel.between = index;
}

template <class Observer>
void PacketNetwork<Observer>::wake(std::int32_t link_id) {
  LinkState& link = link_at(link_id);
  if (link.wake_at <= clock_.now) link.wake_at = never;
  const bool nic = port_link(link_id);
  if (nic ? nics_[link_id].head == none : link.waiting == 0) {
    if (link_id >= machine_.num_links()) open_gate(link_id - machine_.num_links());
    return;
  }
  if (link.free_at > clock_.now) return wake_by(link_id, link.free_at);
  if (nic)
    pump(link_id);
  else
    arbitrate(link_id);
}

// The oldest head of a queue whose buffer has room goes; if none has, the link stalls.
template <class Observer>
void PacketNetwork<Observer>::arbitrate(std::int32_t link_id) {
  LinkState& link = link_at(link_id);
  int best = none;
  Time oldest = never;
  for (std::uint32_t rest = link.waiting; rest != 0; rest &= rest - 1) {
    const int vc = std::countr_zero(rest);
    Channel& channel = channel_at(link_id, vc);
    const Packet& head = packets_[static_cast<std::uint32_t>(channel.head)];
    if (has_room(link, channel, head.bytes) && head.born < oldest) {
      oldest = head.born;
      best = vc;
    }
  }
  if (best == none) return stall(link_id);
  Channel& channel = channel_at(link_id, best);
  const auto slot = static_cast<std::uint32_t>(channel.head);
  if (channel.between == channel.head) channel.between = none;
  channel.head = packets_[slot].next;
  if (channel.head == none) link.waiting &= ~(1U << best);
  link.waiting_bytes -= packets_[slot].bytes;
  waiting_[link.link_class] -= packets_[slot].bytes;
  transmit(link_id, best, slot, true);
  if (link.waiting != 0) wake_by(link_id, link.free_at);
}

template <class Observer>
void PacketNetwork<Observer>::transmit(std::int32_t link_id, int vc, std::uint32_t slot,
                                       bool queued) {
  LinkState& link = link_at(link_id);
  Packet& packet = packets_[slot];
  const Time now = clock_.now;
  const Time end = std::max(now + transmission_time(link.link_class, packet.bytes), packet.tail);
  if (link.stalled) end_stall(link);
  link.free_at = end;
  link.busy += end - now;
  link.bytes += packet.bytes;
  observer_.logged({clock_.now, link_id, vc, packet.id()});
  Time delay = hop_delay(link);
  if (packet.at.known()) {
    observer_.forwarded(slot, start_on(link_id, end), packet.tail, queued);
    release(packet, end);
  } else {
    delay += options_.fetch_time(departures_[packet.message].transfer);
  }
  packet.at = {link_id, vc};
  packet.link_class = link.link_class;
  if (link.capacity == 0) {
    clock_.at(end + delay, Kind::deliver, entity_of(packet, slot));
    return;
  }
  Channel& channel = channel_at(link_id, vc);
  channel.used += packet.bytes;
  channel.peak = std::max(channel.peak, channel.used);
  packet.tail = end + delay;
  packet.out = {};
  if (!routing_->looks_at_loads(packet.route)) plan(packet, link.to);
  clock_.at(now + delay, Kind::arrive, entity_of(packet, slot));
}

// By itself, for its registers would burden the other events.
template <class Observer>
[[gnu::noinline]] void PacketNetwork<Observer>::deliver(std::uint32_t slot) {
  const Packet& packet = packets_[slot];
  const std::uint32_t message = packet.message;
  Arrival& arrival = arrivals_[message];
  const Bytes payload = packet.bytes - options_.header_bytes;
  const std::int64_t routers = packet.route.hops + 1;
  observer_.logged({clock_.now, none, packet.port, packet.id()});
  observer_.delivered(slot);
  totals_.packet_hops += routers;
  totals_.delivered_bytes += payload;
  ++arrival.delivery.packets;
  arrival.delivery.routers += routers;
  arrival.to_deliver -= payload;
  packets_.remove(slot);
  if (counts_on_way_) [[unlikely]]
    free_bytes(packet);
  if (arrival.to_deliver > 0) return;
  receiver_.delivered(message, arrival.delivery);
}

// A packet has arrived: its source's window has room for its bytes again, and its destination's
// gate soon.
template <class Observer>
[[gnu::noinline]] void PacketNetwork<Observer>::free_bytes(const Packet& packet) {
  const Bytes payload = packet.bytes - options_.header_bytes;
  if (options_.window_bytes > 0) {
    const auto source = static_cast<std::int32_t>(packet.source);
    Nic& nic = nics_[source];
    nic.in_flight -= payload;
    if (nic.head != none) wake_by(source, clock_.now);
  }
  if (!controlled_) return;
  const Time known = gates_.leave(packet.port, static_cast<std::int32_t>(payload), clock_.now);
  if (gates_.has_queue(packet.port)) wake_by(gate_of(packet.port), known);
}

template <class Observer>
bool PacketNetwork<Observer>::has_room(const LinkState& link, Channel& channel,
                                       std::int32_t bytes) {
  if (link.capacity == 0) return true;
  channel.used -= channel.credits.take(clock_.now, credits_);
  const bool room = channel.used + bytes <= link.capacity;
  if (!room && !channel.full) ++channel.refused;
  channel.full = !room;
  return room;
}

// The tail leaves the buffer at `time`; the room is known to its sender credit_delay later.
template <class Observer>
void PacketNetwork<Observer>::release(const Packet& packet, Time time) {
  const std::int32_t link = packet.at.link();
  Channel& channel = channel_at(link, packet.at.vc());
  const Time back = time + timing_[packet.link_class].credit_delay;
  channel.credits.add({back, packet.bytes}, credits_);
  if (channel.full && link_at(link).stalled) wake_by(link, back);
}

template <class Observer>
void PacketNetwork<Observer>::wake_by(std::int32_t link_id, Time time) {
  LinkState& link = link_at(link_id);
  if (time >= link.wake_at) return;
  link.wake_at = time;
  clock_.at(time, Kind::wake, static_cast<std::uint64_t>(link_id));
}

template <class Observer>
void PacketNetwork<Observer>::stall(std::int32_t link_id) {
  LinkState& link = link_at(link_id);
  if (!link.stalled) {
    link.stalled = true;
    link.stalled_for -= clock_.now;
  }
  wake_on_credit(link_id);
}

template <class Observer>
void PacketNetwork<Observer>::end_stall(LinkState& link) const {
  link.stalled = false;
  link.stalled_for += clock_.now;
}

// Looks again when the next credit for a queue that waits comes back.
template <class Observer>
void PacketNetwork<Observer>::wake_on_credit(std::int32_t link_id) {
  const LinkState& link = link_at(link_id);
  std::uint32_t rest = port_link(link_id) ? 1U : link.waiting;
  for (; rest != 0; rest &= rest - 1) {
    const Channel& channel = channel_at(link_id, std::countr_zero(rest));
    if (!channel.credits.empty()) wake_by(link_id, channel.credits.next_time());
  }
}

template <class Observer>
std::uint32_t PacketNetwork<Observer>::new_packet() {
  const std::uint32_t slot = packets_.add();
  if (slot == most_slots)
    throw UserError("packets in the network at a time", std::int64_t{most_slots} + 1,
                    "up to " + std::to_string(most_slots));
  return slot;
}

template <class Observer>
std::vector<LinkStatistics> PacketNetwork<Observer>::link_statistics() const {
  std::vector<LinkStatistics> out(machine_.links.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const LinkState& link = link_at(static_cast<std::int32_t>(i));
    out[i] = {link.bytes, link.busy, stalled_so_far(link), link.peak_waiting};
  }
  return out;
}

template <class Observer>
std::vector<BufferStatistics> PacketNetwork<Observer>::buffer_statistics() const {
  std::vector<BufferStatistics> out;
  for (std::int32_t i = 0; i < machine_.num_links(); ++i)
    for (int vc = 0; vc < num_vcs(i) && !ejects(i); ++vc) {
      const Channel& c = channel_at(i, vc);
      out.push_back({i, vc, link_at(i).capacity, c.peak, c.refused});
    }
  return out;
}

template <class Observer>
void PacketNetwork<Observer>::check_conservation(Time end) const {
  if (totals_.injected_bytes != totals_.delivered_bytes) miss_bytes();
  if (packets_.num_used() != 0) miss_packets();
  for (std::int32_t i = 0; i < machine_.num_links(); ++i) {
    const LinkState& link = link_at(i);
    const auto name = [i] { return "link " + std::to_string(i); };
    if (link.busy > end) throw ConservationError(name(), "time busy [ps]", link.busy, end);
    if (link.waiting != 0)
      throw ConservationError(name(), "queues with packets", std::popcount(link.waiting), 0);
    for (int vc = 0; vc < num_vcs(i); ++vc) {
      const Channel& channel = channel_at(i, vc);
      const std::int64_t returning = channel.credits.sum(credits_);
      if (channel.used != returning)
        throw ConservationError("buffer of " + name() + ", virtual channel " + std::to_string(vc),
                                "reserved [B]", channel.used, returning);
    }
  }
  gates_.check_conservation();
}

// Names a message that has not arrived whole; messages that are known may all have.
template <class Observer>
void PacketNetwork<Observer>::miss_bytes() const {
  for (std::size_t message = 0; message < arrivals_.size(); ++message) {
    const Transfer& transfer = departures_[message].transfer;
    const Bytes missing = arrivals_[message].to_deliver;
    if (missing != 0)
      throw ConservationError(text_of(transfer), "received [B]", transfer.bytes - missing,
                              transfer.bytes);
  }
  throw ConservationError("all messages", "received [B]", totals_.delivered_bytes,
                          totals_.injected_bytes);
}

// Names the place of a packet that is in use.
template <class Observer>
void PacketNetwork<Observer>::miss_packets() const {
  std::string place = "all packets";  // if one was given back twice
  packets_.for_each([&, found = false](std::uint32_t /*slot*/, const Packet& packet) mutable {
    if (!std::exchange(found, true))
      place = text_of(departures_[packet.message].transfer) + ", at link " +
              std::to_string(packet.at.link());
  });
  throw ConservationError(place, "packets in the network", packets_.num_used(), 0);
}

}  // namespace odonata

#include "odonata/engine/packet_gates.hpp"
