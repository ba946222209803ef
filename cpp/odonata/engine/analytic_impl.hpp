// Functions of the analytic engine, for who makes one with an observer of its own.
#pragma once

#include "odonata/engine/analytic.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata {

template <class Observer>
AnalyticNetwork<Observer>::AnalyticNetwork(const Machine& machine, const EngineOptions& options,
                                           Clock& clock, Receiver& receiver, Observer& observer)
    : machine_(machine),
      options_(options),
      clock_(clock),
      receiver_(receiver),
      observer_(observer),
      routing_(make_routing(machine, options.routing)),
      alone_(machine, options),
      send_free_(machine.port_router.size()),
      sharings_(options.in_turns ? machine.port_router.size() : 0),
      receptions_(machine.port_router.size()),
      links_(machine.links.size()),
      sent_(machine.port_router.size()),
      packets_(machine.port_router.size()),
      identities_(static_cast<std::uint32_t>(machine.num_ports())) {}

template <class Observer>
void AnalyticNetwork<Observer>::process(const Event& event) {
  const std::uint32_t message = slot_of(event.key);
  switch (kind_of(event.key)) {
    case Kind::arrive: return reach_node(message);
    case Kind::deliver: return deliver(message);
    case Kind::injected: return receiver_.injected(message);
    case Kind::wake: return serve(static_cast<std::int32_t>(message));
    default: throw InternalError("analytic engine: an event of a kind that is not its own");
  }
}

template <class Observer>
void AnalyticNetwork<Observer>::send(std::uint32_t message, const Transfer& transfer) {
  if (flows_.size() <= message)
    flows_.resize(std::max<std::size_t>(message + 1, 2 * flows_.size()));
  Flow& flow = flows_[message];
  const Bytes packets =
      std::max<Bytes>(1, (transfer.bytes + options_.packet_bytes - 1) / options_.packet_bytes);
  const auto port = static_cast<std::size_t>(transfer.from_port);
  flow = {.transfer = transfer,
          .handed = clock_.now,
          .own = wire_time(machine_.injection(transfer.from_port), transfer.bytes),
          .packets = packets,
          .id = {transfer.from_port, sent_[port]++},
          .first = packets_[port]};
  const Alone* alone = alone_of(flow);
  if (alone != nullptr) flow.held = std::max<Time>(0, alone->left - flow.own);
  add_bytes(totals_.injected_bytes, transfer.bytes);
  totals_.packets += packets;
  packets_[port] += static_cast<std::uint32_t>(packets);
  observer_.submitted({message, transfer.from_port, clock_.now, 0, idle(transfer.from_port)});
  Time& free = send_free_[port];
  const Time start = std::max(clock_.now, free), left = start + flow.own + flow.held;
  if (options_.in_turns) {
    free = start + options_.message_gap;
    sharings_[port].later.emplace(start, message);
    return serve(transfer.from_port);
  }
  free = std::max(left, start + options_.message_gap);
  if (free > left) observer_.kept_gap(transfer.from_port, options_.message_gap);
  leave(message, start, alone);
}

// A message leaves its NIC, in one piece from `start` on.
template <class Observer>
void AnalyticNetwork<Observer>::leave(std::uint32_t message, Time start, const Alone* alone) {
  const Flow& flow = flows_[message];
  const std::int32_t port = flow.transfer.from_port;
  const Time credit = alone != nullptr && !alone->slower ? flow.held : 0;
  observer_.crossed(message, WayPart::queue, port, start - flow.handed);
  observer_.crossed(message, WayPart::credit, port, credit);
  observer_.crossed(message, WayPart::serialization, port, flow.own);
  if (alone != nullptr && flow.held > credit)
    observer_.crossed(message, WayPart::transmission, alone->slowest, flow.held - credit);
  observer_.left(message);
  if (flow.transfer.tell_injected)
    clock_.at(start + flow.own + flow.held, Kind::injected, entity_of(message));
  cross(message, start, alone);
  clock_.at(options_.in_turns ? flow.received : flow.head, Kind::arrive, entity_of(message));
}

template <class Observer>
std::uint64_t AnalyticNetwork<Observer>::entity_of(std::uint32_t message) const {
  const PacketId id = flows_[message].id;
  return identities_.entity(id.source, id.number, message);
}

template <class Observer>
const Alone* AnalyticNetwork<Observer>::alone_of(const Flow& flow) {
  return alone_.wanted(flow.transfer) ? &alone_.of(flow.transfer, flow.first) : nullptr;
}

// Lets messages of a port begin to share its time, and others leave, when their time has come.
template <class Observer>
void AnalyticNetwork<Observer>::serve(std::int32_t port) {
  Sharing& sharing = sharings_[port];
  while (!sharing.later.empty() && sharing.later.front().first <= clock_.now) {
    const std::uint32_t message = sharing.later.front().second;
    sharing.later.pop();
    if (turns_.join(static_cast<std::int32_t>(message), flows_[message].transfer))
      share(sharing, message);
  }
  while (sharing.shares.next() <= clock_.now) {
    const std::int32_t message = sharing.shares.end(clock_.now);
    const Flow& flow = flows_[message];
    const std::int32_t behind = turns_.leave(message, flow.transfer);
    if (behind != Turns::none) share(sharing, static_cast<std::uint32_t>(behind));
    leave(static_cast<std::uint32_t>(message), clock_.now - flow.own - flow.held, alone_of(flow));
  }
  Time next = sharing.shares.next();
  if (!sharing.later.empty()) next = std::min(next, sharing.later.front().first);
  if (sharing.wake_at > clock_.now && sharing.wake_at <= next) return;
  sharing.wake_at = next;
  if (next != never) clock_.at(next, Kind::wake, static_cast<std::uint64_t>(port));
}

template <class Observer>
void AnalyticNetwork<Observer>::share(Sharing& sharing, std::uint32_t message) {
  const Flow& flow = flows_[message];
  sharing.shares.begin(static_cast<std::int32_t>(message), flow.own + flow.held, clock_.now);
}

// Follows the route to the link to the node. Where packets take several routes, this one may be
// longer than the routes of the packets that arrive last.
template <class Observer>
void AnalyticNetwork<Observer>::cross(std::uint32_t message, Time start, const Alone* alone) {
  Flow& flow = flows_[message];
  const auto from = static_cast<std::size_t>(flow.transfer.from_port);
  const auto to = static_cast<std::size_t>(flow.transfer.to_port);
  const Bytes bytes = flow.transfer.bytes;
  const std::int32_t ejection = machine_.ejection(flow.transfer.to_port);
  const Time last = wire_time(ejection, bytes);
  Time rest = never;  // [ps] that wires can take
  if (alone != nullptr)
    rest = std::max<Time>(0, alone->received - std::max(last, flow.own + flow.held));
  Time head = start, longest = 0;
  const auto take = [&](std::int32_t link, Time fetch = 0) {
    if (alone == nullptr || link < machine_.num_ports()) use(link, bytes, start, flow);
    if (const Time time = wire_time(link, bytes); time > longest) {
      longest = time;
      flow.slowest = link;
    }
    const Time delay = std::min(rest, fetch + machine_.hop_delay(link));
    rest -= delay;
    head += delay;
    observer_.crossed(message, WayPart::wire, link, delay);
  };
  RouteState state =
      routing_->start(flow.transfer.from_port, flow.transfer.to_port, machine_.port_router[to]);
  const std::uint64_t packet = PacketId{flow.transfer.from_port, flow.first}.bits();
  std::int32_t router = machine_.port_router[from];
  take(machine_.injection(flow.transfer.from_port), options_.fetch_time(flow.transfer));
  for (flow.routers = 1; !routing_->arrived(state, router); ++flow.routers) {
    const Hop hop = routing_->next(state, router, packet, Loads{});
    take(hop.link);
    router = machine_.links[hop.link].to;
  }
  flow.routers *= flow.packets;
  if (last > longest) flow.slowest = ejection;
  flow.head = head;
  flow.received = head + std::max(longest, last);
  if (alone == nullptr) return;
  flow.routers = alone->routers;
  flow.slowest = alone->slowest;
  flow.received = std::max(head + std::max(last, flow.own + flow.held), start + alone->received);
  for (const Alone::Used& used : alone->used) use(used.link, used.bytes, start, flow);
}

template <class Observer>
void AnalyticNetwork<Observer>::reach_node(std::uint32_t message) {
  const Flow& flow = flows_[message];
  const std::int32_t link = machine_.ejection(flow.transfer.to_port);
  Reception& port = receptions_[flow.transfer.to_port];
  const Time wire = wire_time(link, flow.transfer.bytes);
  const bool single = flow.packets == 1;
  const Time start = single ? port.start_of_packet(flow.head) : std::max(flow.head, port.free);
  const Time end = std::max(start + wire, flow.received);
  port.free = std::max(end, port.free + wire);
  if (!single) port.long_until = std::max(port.long_until, flow.received);
  const Time tail = flow.head + flow.own + flow.held;
  const Time waited = std::min(start - flow.head, end - tail);
  const Time slower = end - tail - waited;
  observer_.crossed(message, WayPart::queue, link, waited);
  observer_.crossed(message, WayPart::transmission, flow.slowest, slower);
  observer_.crossed(message, WayPart::wire, link, machine_.class_of(link).latency);
  use(link, flow.transfer.bytes, start, flow);
  clock_.at(end + machine_.class_of(link).latency, Kind::deliver, entity_of(message));
}

template <class Observer>
void AnalyticNetwork<Observer>::deliver(std::uint32_t message) {
  const Flow& flow = flows_[message];
  totals_.delivered_bytes += flow.transfer.bytes;
  totals_.packet_hops += flow.routers;
  observer_.logged({clock_.now, -1, flow.transfer.to_port, flow.id});
  receiver_.delivered(message, {flow.packets, flow.routers});
}

// Packet by packet, as the packet engine cuts it.
template <class Observer>
Time AnalyticNetwork<Observer>::wire_time(int link, Bytes bytes) const {
  const Rate rate = machine_.class_of(link).bandwidth;
  return time_of_packets(rate, bytes, options_.packet_bytes, options_.header_bytes);
}

template <class Observer>
void AnalyticNetwork<Observer>::use(std::int32_t link, Bytes bytes, Time start, const Flow& flow) {
  LinkStatistics& statistics = links_[link];
  statistics.bytes += bytes;
  statistics.busy += wire_time(link, bytes);
  observer_.logged({start, link, 0, flow.id});
}

template <class Observer>
void AnalyticNetwork<Observer>::check_conservation(Time /*end*/) const {
  if (totals_.injected_bytes != totals_.delivered_bytes)
    throw ConservationError("all messages", "received [B]", totals_.delivered_bytes,
                            totals_.injected_bytes);
}

}  // namespace odonata
