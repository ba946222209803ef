#include "odonata/engine/analytic.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata {

AnalyticNetwork::AnalyticNetwork(const Machine& machine, const EngineOptions& options, Clock& clock,
                                 Receiver& receiver, EventLog& log)
    : machine_(machine),
      options_(options),
      clock_(clock),
      receiver_(receiver),
      log_(log),
      routing_(make_routing(machine, options.routing)),
      send_free_(machine.node_router.size()),
      recv_free_(machine.node_router.size()),
      links_(machine.links.size()),
      sent_(machine.node_router.size()),
      identities_(static_cast<std::uint32_t>(machine.num_nodes())) {}

void AnalyticNetwork::handle(const Event& event) {
  const std::uint32_t message = slot_of(event.key);
  switch (kind_of(event.key)) {
    case Kind::arrive: return reach_node(message);
    case Kind::deliver: return deliver(message);
    case Kind::injected: return receiver_.injected(message);
    default: throw InternalError("analytic engine: an event of a kind that is not its own");
  }
}

void AnalyticNetwork::send(std::uint32_t message, const Transfer& transfer) {
  if (flows_.size() <= message) make_room(message);
  Flow& flow = flows_[message];
  const Bytes packets =
      std::max<Bytes>(1, (transfer.bytes + options_.packet_bytes - 1) / options_.packet_bytes);
  const auto node = static_cast<std::size_t>(transfer.from_node);
  flow = {transfer, 0, packets, 0, {transfer.from_node, sent_[node]++}};
  add_bytes(totals_.injected_bytes, transfer.bytes);
  totals_.packets += packets;
  Time& free = send_free_[node];
  const Time start = std::max(clock_.now, free);
  const Time left = start + wire_time(machine_.injection(transfer.from_node), transfer.bytes);
  if (options_.ways == WayDetail::times) [[unlikely]]
    kept_times_[message] = {start, left};
  if (options_.ways == WayDetail::links) [[unlikely]]
    begin_way(message, transfer.from_node, start, left);
  free = std::max(left, start + options_.message_gap);
  note(message, WayPart::queue, transfer.from_node, start - clock_.now);
  note(message, WayPart::serialization, transfer.from_node, left - start);
  if (transfer.tell_injected) clock_.at(left, Kind::injected, entity_of(message));
  clock_.at(cross(message, start), Kind::arrive, entity_of(message));
}

void AnalyticNetwork::make_room(std::uint32_t message) {
  flows_.resize(std::max<std::size_t>(message + 1, 2 * flows_.size()));
  if (options_.ways == WayDetail::times) kept_times_.resize(flows_.size());
  if (options_.ways != WayDetail::links) return;
  ways_.resize(flows_.size());
  before_.resize(flows_.size());
}

void AnalyticNetwork::begin_way(std::uint32_t message, std::int32_t node, Time start, Time left) {
  gaps_.resize(send_free_.size());
  ways_[message].clear();
  if (idle(node)) gaps_[node] = 0;
  before_[message] = gaps_[node];
  if (start + options_.message_gap > left) gaps_[node] += options_.message_gap;
}

std::uint64_t AnalyticNetwork::entity_of(std::uint32_t message) const {
  const PacketId id = flows_[message].id;
  return identities_.entity(id.source, id.number, message);
}

// Follows the route; returns when the head is at the link to the node.
Time AnalyticNetwork::cross(std::uint32_t message, Time start) {
  Flow& flow = flows_[message];
  const auto from = static_cast<std::size_t>(flow.transfer.from_node);
  const auto to = static_cast<std::size_t>(flow.transfer.to_node);
  const Bytes bytes = flow.transfer.bytes;
  RouteState state =
      routing_->start(flow.transfer.from_node, flow.transfer.to_node, machine_.node_router[to]);
  std::int32_t router = machine_.node_router[from];
  const auto take = [&](std::int32_t link) {
    use(link, start, flow);
    flow.wire = std::max(flow.wire, wire_time(link, bytes));
    const Time delay = machine_.class_of(link).latency + machine_.router_delay;
    note(message, WayPart::wire, link, delay);
    return delay;
  };
  Time head = start + take(machine_.injection(flow.transfer.from_node));
  for (flow.routers = 1; !routing_->arrived(state, router); ++flow.routers) {
    const Hop hop = routing_->next(state, router, flow.id.bits(), Loads{});
    head += take(hop.link);
    router = machine_.links[hop.link].to;
  }
  flow.routers *= flow.packets;
  return head;
}

void AnalyticNetwork::reach_node(std::uint32_t message) {
  Flow& flow = flows_[message];
  const std::int32_t link = machine_.ejection(flow.transfer.to_node);
  Time& free = recv_free_[flow.transfer.to_node];
  const Time start = std::max(clock_.now, free);
  free = std::max(start + wire_time(link, flow.transfer.bytes), clock_.now + flow.wire);
  const Time tail = clock_.now + wire_time(flow.transfer.from_node, flow.transfer.bytes);
  const Time waited = std::min(start - clock_.now, free - tail);
  const Time slower = free - tail - waited;
  if (options_.ways == WayDetail::times) [[unlikely]] {
    kept_times_[message].tail = tail;
    kept_times_[message].waited = waited;
  }
  note(message, WayPart::queue, link, waited);
  note(message, WayPart::transmission, link, slower);
  note(message, WayPart::wire, link, machine_.class_of(link).latency);
  use(link, start, flow);
  clock_.at(free + machine_.class_of(link).latency, Kind::deliver, entity_of(message));
}

void AnalyticNetwork::deliver(std::uint32_t message) {
  const Flow& flow = flows_[message];
  totals_.delivered_bytes += flow.transfer.bytes;
  totals_.packet_hops += flow.routers;
  if (log_.on()) log_.add({clock_.now, -1, flow.transfer.to_node, flow.id});
  receiver_.delivered(message, {flow.packets, flow.routers});
}

// Before the message is delivered, its way may be told as far as the NIC.
std::span<const Piece> AnalyticNetwork::tell_way(std::uint32_t message, Reached reached) {
  if (options_.ways != WayDetail::links) return {};
  const Way& way = ways_[message];
  if (reached == Reached::node) return way;
  const std::int32_t nic = machine_.injection(flows_[message].transfer.from_node);
  const auto beyond = [nic](const Piece& piece) {
    return piece.part() == WayPart::wire || piece.link() != nic;
  };
  return {way.begin(), std::find_if(way.begin(), way.end(), beyond)};
}

// Time that a slower link adds counts with the last one.
Undelayed AnalyticNetwork::undelayed(std::uint32_t message, Time sent) {
  const Times& kept = kept_times_[message];
  last_link_ = clock_.now - kept.tail;
  return {kept.start == sent && kept.waited == 0 ? kept.left : -1};
}

// A NIC of this engine always has credit. What a slower link takes counts with the ejection.
const WayTimes& AnalyticNetwork::tell_times(std::uint32_t message, Reached reached) {
  const Times& kept = kept_times_[message];
  times_.credit = times_.queue = kept.start;
  times_.serialization = kept.left;
  times_.wires = reached == Reached::network ? clock_.now : kept.tail;
  times_.delays = {};
  if (reached == Reached::node && kept.waited != 0) tell_wait(message);
  return times_;
}

// The NIC of its end made it wait.
void AnalyticNetwork::tell_wait(std::uint32_t message) {
  const Times& kept = kept_times_[message];
  const std::int32_t link = machine_.ejection(flows_[message].transfer.to_node);
  delays_.clear();
  add_delay(delays_, kept.tail, WayPart::queue,
            place_of_piece(machine_.links[link].link_class, false, true), kept.waited);
  times_.delays = delays_;
}

// Packet by packet, as the packet engine cuts it.
Time AnalyticNetwork::wire_time(int link, Bytes bytes) const {
  const Rate rate = machine_.class_of(link).bandwidth;
  const Bytes whole = bytes / options_.packet_bytes, rest = bytes % options_.packet_bytes;
  Time time = whole * rate.time_of(options_.packet_bytes + options_.header_bytes);
  if (rest > 0 || whole == 0) time += rate.time_of(rest + options_.header_bytes);
  return time;
}

void AnalyticNetwork::use(std::int32_t link, Time start, const Flow& flow) {
  LinkStatistics& statistics = links_[link];
  statistics.bytes += flow.transfer.bytes;
  statistics.busy += wire_time(link, flow.transfer.bytes);
  if (log_.on()) log_.add({start, link, 0, flow.id});
}

void AnalyticNetwork::check_conservation(Time /*end*/) const {
  if (totals_.injected_bytes != totals_.delivered_bytes)
    throw ConservationError("all messages", "received [B]", totals_.delivered_bytes,
                            totals_.injected_bytes);
}

}  // namespace odonata
