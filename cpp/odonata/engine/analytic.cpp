#include "odonata/engine/analytic.hpp"

#include <algorithm>
#include <limits>

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
      alone_(machine, options),
      send_free_(machine.node_router.size()),
      recv_free_(machine.node_router.size()),
      links_(machine.links.size()),
      sent_(machine.node_router.size()),
      packets_(machine.node_router.size()),
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
  const Time own = wire_time(machine_.injection(transfer.from_node), transfer.bytes);
  const Alone* alone = alone_.wanted(transfer) ? &alone_.of(transfer, packets_[node]) : nullptr;
  const Time held = alone != nullptr ? std::max<Time>(0, alone->left - own) : 0;
  const Time credit = alone != nullptr && !alone->slower ? held : 0;
  flow = {.transfer = transfer,
          .own = own,
          .held = held,
          .packets = packets,
          .id = {transfer.from_node, sent_[node]++},
          .first = packets_[node]};
  add_bytes(totals_.injected_bytes, transfer.bytes);
  totals_.packets += packets;
  packets_[node] += static_cast<std::uint32_t>(packets);
  Time& free = send_free_[node];
  const Time start = std::max(clock_.now, free), left = start + own + held;
  if (options_.ways == WayDetail::times) [[unlikely]]
    kept_times_[message] = {start, start + credit, start + credit + own, left};
  if (options_.ways == WayDetail::links) [[unlikely]]
    begin_way(message, transfer.from_node, start, left);
  free = std::max(left, start + options_.message_gap);
  note(message, WayPart::queue, transfer.from_node, start - clock_.now);
  note(message, WayPart::credit, transfer.from_node, credit);
  note(message, WayPart::serialization, transfer.from_node, own);
  if (held > credit) note(message, WayPart::transmission, alone->slowest, held - credit);
  if (options_.ways == WayDetail::links) [[unlikely]]
    flow.at_nic = static_cast<std::int32_t>(ways_[message].size());
  if (transfer.tell_injected) clock_.at(left, Kind::injected, entity_of(message));
  clock_.at(cross(message, start, alone), Kind::arrive, entity_of(message));
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

// Follows the route; returns when the head is at the link to the node. Where packets take several
// routes, that one may be longer than those of the packets that arrive last.
Time AnalyticNetwork::cross(std::uint32_t message, Time start, const Alone* alone) {
  Flow& flow = flows_[message];
  const auto from = static_cast<std::size_t>(flow.transfer.from_node);
  const auto to = static_cast<std::size_t>(flow.transfer.to_node);
  const Bytes bytes = flow.transfer.bytes;
  const std::int32_t ejection = machine_.ejection(flow.transfer.to_node);
  const Time last = wire_time(ejection, bytes);
  Time rest = never;  // [ps] that wires can take
  if (alone != nullptr)
    rest = std::max<Time>(0, alone->received - std::max(last, flow.own + flow.held));
  Time head = start, longest = 0;
  const auto take = [&](std::int32_t link) {
    if (alone == nullptr || link < machine_.num_nodes()) use(link, bytes, start, flow);
    if (const Time time = wire_time(link, bytes); time > longest) {
      longest = time;
      flow.slowest = link;
    }
    const Time delay = std::min(rest, machine_.class_of(link).latency + machine_.router_delay);
    rest -= delay;
    head += delay;
    note(message, WayPart::wire, link, delay);
  };
  RouteState state =
      routing_->start(flow.transfer.from_node, flow.transfer.to_node, machine_.node_router[to]);
  const std::uint64_t packet = PacketId{flow.transfer.from_node, flow.first}.bits();
  std::int32_t router = machine_.node_router[from];
  take(machine_.injection(flow.transfer.from_node));
  for (flow.routers = 1; !routing_->arrived(state, router); ++flow.routers) {
    const Hop hop = routing_->next(state, router, packet, Loads{});
    take(hop.link);
    router = machine_.links[hop.link].to;
  }
  flow.routers *= flow.packets;
  if (last > longest) flow.slowest = ejection;
  flow.received = head + std::max(longest, last);
  if (alone == nullptr) return head;
  flow.routers = alone->routers;
  flow.slowest = alone->slowest;
  flow.received = std::max(head + std::max(last, flow.own + flow.held), start + alone->received);
  for (const Alone::Used& used : alone->used) use(used.link, used.bytes, start, flow);
  return head;
}

void AnalyticNetwork::reach_node(std::uint32_t message) {
  const Flow& flow = flows_[message];
  const std::int32_t link = machine_.ejection(flow.transfer.to_node);
  Time& free = recv_free_[flow.transfer.to_node];
  const Time start = std::max(clock_.now, free);
  free = std::max(start + wire_time(link, flow.transfer.bytes), flow.received);
  const Time tail = clock_.now + flow.own + flow.held;
  const Time waited = std::min(start - clock_.now, free - tail);
  const Time slower = free - tail - waited;
  if (options_.ways == WayDetail::times) [[unlikely]] {
    Times& kept = kept_times_[message];
    kept.tail = tail;
    kept.waited = waited;
    kept.slower = slower;
  }
  note(message, WayPart::queue, link, waited);
  note(message, WayPart::transmission, flow.slowest, slower);
  note(message, WayPart::wire, link, machine_.class_of(link).latency);
  use(link, flow.transfer.bytes, start, flow);
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
  return {way.begin(), way.begin() + flows_[message].at_nic};
}

Undelayed AnalyticNetwork::undelayed(std::uint32_t message, Time sent) {
  const Times& kept = kept_times_[message];
  last_link_ = machine_.class_of(machine_.ejection(flows_[message].transfer.to_node)).latency;
  constexpr Time longest = std::numeric_limits<std::uint32_t>::max();
  const Time ahead = kept.tail - sent;
  if (kept.start != sent || kept.waited != 0 || kept.left != kept.own ||
      kept.credit != kept.start || std::max(ahead, kept.slower) > longest)
    return {};
  if (kept.slower == 0) return {kept.left};
  return {kept.left, static_cast<std::uint32_t>(ahead), static_cast<std::uint32_t>(kept.slower)};
}

// The NIC of a message that was followed lacks credit, or the links behind it are slower.
const WayTimes& AnalyticNetwork::tell_times(std::uint32_t message, Reached reached) {
  const Times& kept = kept_times_[message];
  times_.queue = kept.start;
  times_.credit = kept.credit;
  times_.nic = place_of(machine_.injection(flows_[message].transfer.from_node));
  times_.serialization = times_.ahead = kept.own;
  times_.slower = kept.left != kept.own ? kept.left : 0;
  times_.wires = reached == Reached::network ? clock_.now : kept.tail;
  times_.delays = {};
  if (reached == Reached::node && kept.waited + kept.slower != 0) tell_delays(message);
  return times_;
}

// The NIC of its end made it wait, or a link was slower.
void AnalyticNetwork::tell_delays(std::uint32_t message) {
  const Times& kept = kept_times_[message];
  const Flow& flow = flows_[message];
  delays_.clear();
  add_delay(delays_, kept.tail, WayPart::queue, place_of(machine_.ejection(flow.transfer.to_node)),
            kept.waited);
  add_delay(delays_, kept.tail + kept.waited, WayPart::transmission, place_of(flow.slowest),
            kept.slower);
  times_.delays = delays_;
}

std::int32_t AnalyticNetwork::place_of(std::int32_t link) const {
  const bool ejects = link >= machine_.num_nodes() && link < 2 * machine_.num_nodes();
  return place_of_piece(machine_.links[link].link_class, link < machine_.num_nodes(), ejects);
}

// Packet by packet, as the packet engine cuts it.
Time AnalyticNetwork::wire_time(int link, Bytes bytes) const {
  const Rate rate = machine_.class_of(link).bandwidth;
  return time_of_packets(rate, bytes, options_.packet_bytes, options_.header_bytes);
}

void AnalyticNetwork::use(std::int32_t link, Bytes bytes, Time start, const Flow& flow) {
  LinkStatistics& statistics = links_[link];
  statistics.bytes += bytes;
  statistics.busy += wire_time(link, bytes);
  if (log_.on()) log_.add({start, link, 0, flow.id});
}

void AnalyticNetwork::check_conservation(Time /*end*/) const {
  if (totals_.injected_bytes != totals_.delivered_bytes)
    throw ConservationError("all messages", "received [B]", totals_.delivered_bytes,
                            totals_.injected_bytes);
}

}  // namespace odonata
