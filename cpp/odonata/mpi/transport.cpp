#include "odonata/mpi/transport.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr std::uint32_t most_turns = 0xffffff;

Work work_of(MessageStage stage) {
  switch (stage) {
    case MessageStage::sending: return Work::send;
    case MessageStage::preparing: return Work::send_bytes;
    default: return Work::receive;
  }
}

Act::Kind kind_of_send(SendMode mode) {
  switch (mode) {
    case SendMode::synchronous: return Act::Kind::send_synchronous;
    case SendMode::buffered: return Act::Kind::send_buffered;
    default: return Act::Kind::send;
  }
}

// The latest leg of a message by its stage; in the last but one it is the data, where it asked.
constexpr std::array<Leg, 9> legs{Leg::eager,  Leg::eager, Leg::request, Leg::request, Leg::answer,
                                  Leg::answer, Leg::data,  Leg::eager,   Leg::datagram};
static_assert(static_cast<std::size_t>(MessageStage::part) == legs.size());

}  // namespace

// ---- sending

Request Transport::isend(std::int32_t rank, const Address& address, const Span& from, Sending how) {
  const bool eager = from.bytes <= options_.eager_threshold && how.mode != SendMode::synchronous;
  const bool buffered = how.mode == SendMode::buffered;
  const Time overhead = overhead_of_send(rank, address.to);
  Time cost = overhead;
  if (eager) {
    const Time of_bytes = options_.send_per_byte.of(from.bytes);
    const Cost additional = eager_cost(rank, address.to, from.bytes);
    cost += of_bytes + additional.sum();
    if (cost != overhead && ranks_.observer() != nullptr) [[unlikely]]
      note_send(rank, of_bytes, additional);
  }
  const bool at_once = cost == 0 && !ranks_.busy(rank);
  const Request request = (eager || buffered) && at_once ? Request{} : requests_.open();
  const std::uint32_t id = new_message();
  MessageState& message = messages_[id];
  message.envelope = {rank, address.tag, address.context};
  message.to = address.to;
  message.bytes = from.bytes;
  message.by_rendezvous = !eager;
  message.buffered = buffered;
  message.serial = how.serial;
  message.departure.request = request.id;
  if (ranks_.acts() != nullptr) [[unlikely]]
    note_act_of_send(id, request, how.mode);
  if (Memory* memory = memory_of(rank)) keep(id, memory->read(index_of(rank), from));
  const std::uint32_t before = pairs_.push(PairTable::pair(rank, address.to), id,
                                           [this](std::uint32_t m) { return pair_of(m); });
  if (before != none) {
    messages_[before].departure.successor = id;
    message.arrival.is_next = false;
  }
  if (at_once)
    hand_over(id);
  else
    after_cost(rank, cost, id);
  return request;
}

void Transport::send_datagram(std::int32_t rank, std::int32_t to, Bytes bytes, Time due,
                              bool last) {
  const std::uint32_t id = new_message();
  MessageState& message = messages_[id];
  message.envelope = {rank, 0, 0};
  message.to = to;
  message.bytes = bytes;
  message.last = last;
  message.departure.stage = MessageStage::datagram;
  message.departure.sent = std::min(due, clock_.now);
  ++ranks_[rank].datagrams;
  launch(id, rank, to, bytes);
}

// Messages that cost nothing are ready when the processor's present work is: in turn, not by slot.
void Transport::after_cost(std::int32_t rank, Time cost, std::uint32_t message) {
  RankState& state = ranks_[rank];
  state.turn = cost == 0 && state.cpu_free > clock_.now ? (state.turn + 1) & most_turns : 0;
  ranks_.occupy(rank, cost, work_of(messages_[message].stage()));
  if (state.cpu_free <= clock_.now) return step(message);
  if (lookahead_) [[unlikely]]
    expect(message, state.cpu_free);
  clock_.at(state.cpu_free, Kind::step, ranks_.identities().entity(rank, state.turn, message));
}

void Transport::step(std::uint32_t id) {
  if (lookahead_) [[unlikely]]
    lookahead_->note_step(messages_[id]);
  switch (messages_[id].stage()) {
    case MessageStage::sending: return hand_over(id);
    case MessageStage::matched: return answer(id);
    case MessageStage::preparing: return send_data(id);
    case MessageStage::receiving: return finish(id);
    default:
      throw InternalError("mpi: step event for a message without a pending overhead (stage " +
                          std::to_string(static_cast<int>(messages_[id].stage())) + ")");
  }
}

void Transport::hand_over(std::uint32_t id) {
  MessageState& message = messages_[id];
  const std::int32_t from = message.envelope.source, to = message.to;
  message.departure.sent = clock_.now;
  const bool eager = !message.by_rendezvous;
  message.departure.stage = eager ? MessageStage::eager : MessageStage::request_to_send;
  const bool over = eager || message.buffered;
  const std::uint32_t request = over ? std::exchange(message.departure.request, 0) : 0;
  launch(id, from, to, eager ? message.bytes : options_.control_bytes);
  if (over) requests_.complete(request);
}

void Transport::launch(std::uint32_t id, std::int32_t from, std::int32_t to, Bytes bytes) {
  if (lookahead_) [[unlikely]]
    expect(id, clock_.now);
  const bool inside = same_node(from, to);
  if (!inside && machine_.ports.cuts(bytes)) [[unlikely]]
    return launch_parts(id, from, to, bytes);
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->launch(from, leg_of(id));
  if (!inside)
    return network_->send(id, {port_of(from), port_of(to), bytes, messages_[id].departure.leaving,
                               is_fetched(bytes)});
  clock_.at(node_memory_.pass({node_of(from), to, bytes}, clock_.now), Kind::local,
            ranks_.identities().entity(from, ranks_[from].local_sends++, id));
}

// Each part goes from a port of a node to the same port of the other node.
void Transport::launch_parts(std::uint32_t id, std::int32_t from, std::int32_t to, Bytes bytes) {
  parts_.begin(id);
  const bool leaving = messages_[id].departure.leaving;
  for (int i = 0; i < machine_.ports.per_node; ++i) {
    const std::uint32_t slot = new_message();
    MessageState& part = messages_[slot];
    part.envelope.source = from;
    part.to = to;
    part.departure.stage = MessageStage::part;
    part.departure.leaving = leaving;
    parts_.add(slot, id, i);
    const std::int32_t port = machine_.port(node_of(from), i);
    if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
      observer->launch(from, leg_of(id, slot));
    network_->send(slot, {port, machine_.port(node_of(to), i), parts_.size(bytes, i), leaving,
                          is_fetched(bytes)});
  }
}

// ---- arriving

void Transport::delivered(std::uint32_t id, Delivery delivery) {
  if (messages_[id].departure.stage == MessageStage::part) [[unlikely]]
    return part_delivered(id, delivery);
  arrive_whole(id, id, delivery);
}

void Transport::part_delivered(std::uint32_t part, const Delivery& delivery) {
  if (const Delivery* all = parts_.arrive(part, delivery))
    arrive_whole(parts_.message_of(part), part, *all);
  messages_[part].arrival.arrived = true;
  if (!messages_[part].departure.leaving) messages_.remove(part);
}

void Transport::part_injected(std::uint32_t part) {
  if (parts_.leave(part)) leave_whole(parts_.message_of(part), part);
  messages_[part].departure.leaving = false;
  if (messages_[part].arrival.arrived) messages_.remove(part);
}

void Transport::arrive_whole(std::uint32_t id, std::uint32_t carried, Delivery delivery) {
  MessageState& message = messages_[id];
  if (lookahead_) [[unlikely]]
    lookahead_->note_delivered(id, message);
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->happen_delivered(leg_of(id, carried));
  switch (message.stage()) {
    case MessageStage::eager:
    case MessageStage::request_to_send:
      count(id, delivery);
      message.arrival.arrived = true;
      if (message.arrival.is_next) arrive(id);
      return;
    case MessageStage::clear_to_send:
      count(id, delivery);
      if (ranks_.observer() != nullptr) [[unlikely]]
        note_data(id);
      message.departure.stage = MessageStage::preparing;
      return after_cost(message.envelope.source,
                        options_.send_per_byte.of(message.bytes) + rendezvous_cost(message).sum(),
                        id);
    case MessageStage::data: count(id, delivery); return receive_data(id);
    case MessageStage::datagram: count(id, delivery); return end_datagram(id);
    default: throw InternalError("mpi: a message arrives that was not on its way");
  }
}

// In the order of sending: messages of the same pair that came too early follow.
void Transport::arrive(std::uint32_t id) {
  while (id != none) {
    const Envelope envelope = messages_[id].envelope;
    const std::int32_t to = messages_[id].to;
    const std::uint32_t next = messages_[id].departure.successor;
    const bool followed = next != none && messages_[next].arrival.arrived;
    pairs_.pop(pair_of(id), id, [this](std::uint32_t m) { return pair_of(m); });
    if (next != none) messages_[next].arrival.is_next = true;
    RankState& rank = ranks_[to];
    const Found receive = rank.mailbox.arrive(envelope, id);
    const Time search = search_time(receive);
    if (receive) {
      match(id, *receive, false, search);
    } else {
      if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
        observer->settle();
      pay_for_search(to, search);
      if (rank.probing) [[unlikely]]
        tell_prober(to, envelope);
    }
    id = followed ? next : none;
  }
}

Request Transport::irecv(std::int32_t rank, const Envelope& wanted, const Span& into) {
  const Request request = requests_.open();
  requests_[request.id].into = into;
  if (ranks_.acts() != nullptr) [[unlikely]]
    note_receive(rank, wanted, request);
  const Found message = ranks_[rank].mailbox.post(wanted, request.id);
  const Time search = search_time(message);
  if (message)
    match(*message, request.id, true, search);
  else
    pay_for_search(rank, search);
  return request;
}

void Transport::match(std::uint32_t id, std::uint32_t receive, bool unexpected, Time search) {
  MessageState& message = messages_[id];
  RequestState& request = requests_[receive];
  if (message.bytes > request.into.bytes && !ranks_[message.to].any_length)
    throw UserError("message truncated: bytes that rank " + std::to_string(index_of(message.to)) +
                        " receives from rank " + std::to_string(index_of(message.envelope.source)),
                    message.bytes, "up to " + std::to_string(request.into.bytes));
  message.arrival.request = receive;
  request.status = status_of(message);
  if (ranks_.observer() != nullptr) [[unlikely]]
    note_match(id, search);
  const bool eager = message.departure.stage == MessageStage::eager;
  const Time of_bytes = eager ? options_.recv_per_byte.of(message.bytes) : 0;
  const Cost additional = eager ? eager_cost(message.envelope.source, message.to, message.bytes)
                                : rendezvous_cost(message);
  const bool copied = eager && unexpected;
  const Time copying = copied ? options_.copy_per_byte.of(message.bytes) : 0;
  const Time overhead = overhead_of_receive(message.envelope.source, message.to);
  const Time cost = search + overhead + of_bytes + additional.sum() + copying;
  if (cost != overhead && ranks_.observer() != nullptr) [[unlikely]]
    note_match_cost(message.to, {search, of_bytes, copying, additional}, eager);
  message.arrival.stage = eager ? MessageStage::receiving : MessageStage::matched;
  after_cost(message.to, cost, id);
}

// The overhead of a send: the observer is told of one that costs less, inside a node.
Time Transport::overhead_of_send(std::int32_t rank, std::int32_t to) const {
  const Time overhead = options_.overhead_of_send(same_node(rank, to));
  if (overhead != options_.send_overhead && ranks_.observer() != nullptr) [[unlikely]]
    ranks_.observer()->part(rank, Work::send_inside, overhead);
  return overhead;
}

Time Transport::overhead_of_receive(std::int32_t from, std::int32_t rank) const {
  const Time overhead = options_.overhead_of_receive(same_node(from, rank));
  if (overhead != options_.recv_overhead && ranks_.observer() != nullptr) [[unlikely]]
    ranks_.observer()->part(rank, Work::receive_inside, overhead);
  return overhead;
}

// The cost of an eager send by its kinds, beside the costs of every send.
void Transport::note_send(std::int32_t rank, Time of_bytes, const Cost& additional) {
  MpiObserver& observer = *ranks_.observer();
  observer.part(rank, Work::send_bytes, of_bytes);
  observer.part(rank, Work::send_eager, additional.once);
  observer.part(rank, Work::send_eager_bytes, additional.bytes);
}

void Transport::note_act_of_send(std::uint32_t id, Request request, SendMode mode) {
  const MessageState& message = messages_[id];
  const Envelope& envelope = message.envelope;
  note_act(envelope.source, request,
           {kind_of_send(mode), message.to, envelope.tag, envelope.context, message.bytes});
}

void Transport::note_receive(std::int32_t rank, const Envelope& wanted, Request request) {
  note_act(rank, request,
           {Act::Kind::receive, wanted.source, wanted.tag, wanted.context,
            requests_[request.id].into.bytes});
}

void Transport::note_act(std::int32_t rank, Request request, const Act& act) {
  const ActId id = ranks_.acts()->add(rank, act);
  if (request.id != 0) requests_[request.id].act = id;
}

// The cost of the data of a rendezvous.
void Transport::note_data(std::uint32_t id) {
  MpiObserver& observer = *ranks_.observer();
  const MessageState& message = messages_[id];
  const Cost cost = rendezvous_cost(message);
  const std::int32_t rank = message.envelope.source;
  observer.begin_data(id, ranks_.now(rank));
  observer.part(rank, Work::send_rendezvous, cost.once);
  observer.part(rank, Work::send_long_bytes, cost.bytes);
}

void Transport::note_match(std::uint32_t id, Time search) {
  const MessageState& message = messages_[id];
  ranks_.observer()->settle();
  if (Acts* acts = ranks_.acts())
    acts->settle(requests_[message.arrival.request].act, message.envelope.source,
                 message.envelope.tag);
  if (message.by_rendezvous) ranks_.observer()->begin_answer(id, ranks_.now(message.to) + search);
}

void Transport::note_match_cost(std::int32_t rank, const MatchCost& cost, bool eager) {
  MpiObserver& observer = *ranks_.observer();
  observer.part(rank, Work::search, cost.search);
  observer.part(rank, Work::receive_bytes, cost.bytes);
  observer.part(rank, eager ? Work::receive_eager : Work::receive_rendezvous, cost.additional.once);
  observer.part(rank, eager ? Work::receive_eager_bytes : Work::receive_long_bytes,
                cost.additional.bytes);
  observer.part(rank, Work::copy, cost.copying);
}

LegOfMessage Transport::leg_of(std::uint32_t id, std::uint32_t carried) const {
  const MessageState& message = messages_[id];
  const MessageStage stage = message.stage();
  const bool all = stage == MessageStage::receiving && message.by_rendezvous;
  const Leg leg = all ? Leg::data : legs[static_cast<std::size_t>(stage)];
  const std::int32_t from = message.envelope.source, to = message.to;
  const bool short_leg = leg == Leg::request || leg == Leg::answer;
  const std::int32_t port = carried == id ? port_of(leg == Leg::answer ? to : from)
                                          : machine_.port(node_of(from), parts_.port_of(carried));
  return {id,
          leg,
          from,
          to,
          carried,
          same_node(from, to) ? -1 : port,
          short_leg ? options_.control_bytes : message.bytes,
          message.departure.sent};
}

void Transport::note_step(std::uint32_t id) {
  const MessageState& message = messages_[id];
  if (message.stage() == MessageStage::sending) return;
  const bool of_sender = message.stage() == MessageStage::preparing;
  ranks_.observer()->happen_step(of_sender ? message.envelope.source : message.to, leg_of(id));
}

// Cost of a rendezvous to each of its ranks.
Transport::Cost Transport::rendezvous_cost(const MessageState& message) const {
  if (same_node(message.envelope.source, message.to)) return {};
  const Bytes beyond = message.bytes - options_.long_threshold;
  return {options_.rendezvous_overhead, beyond > 0 ? options_.long_per_byte.of(beyond) : 0};
}

Status Transport::status_of(const MessageState& message) const {
  return {index_of(message.envelope.source), message.envelope.tag, message.bytes, message.serial,
          false};
}

void Transport::answer(std::uint32_t id) {
  MessageState& message = messages_[id];
  message.arrival.stage = MessageStage::clear_to_send;
  launch(id, message.to, message.envelope.source, options_.control_bytes);
}

void Transport::send_data(std::uint32_t id) {
  MessageState& message = messages_[id];
  message.departure.stage = MessageStage::data;
  message.departure.leaving = !same_node(message.envelope.source, message.to);
  launch(id, message.envelope.source, message.to, message.bytes);
}

void Transport::receive_data(std::uint32_t id) {
  MessageState::Departure& departure = messages_[id].departure;
  if (!departure.leaving) requests_.complete(std::exchange(departure.request, 0));
  const Time cost = options_.recv_per_byte.of(messages_[id].bytes);
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->part(messages_[id].to, Work::receive_bytes, cost);
  messages_[id].arrival.stage = MessageStage::receiving;
  after_cost(messages_[id].to, cost, id);
}

void Transport::injected(std::uint32_t id) {
  if (messages_[id].departure.stage == MessageStage::part) [[unlikely]]
    return part_injected(id);
  leave_whole(id, id);
}

void Transport::leave_whole(std::uint32_t id, std::uint32_t carried) {
  messages_[id].departure.leaving = false;
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->happen_injected(leg_of(id, carried));
  if (lookahead_) [[unlikely]]
    lookahead_->note_injected(id, messages_[id]);
  const std::uint32_t request = std::exchange(messages_[id].departure.request, 0);
  if (messages_[id].arrival.request == none) messages_.remove(id);  // the receiver was quicker
  requests_.complete(request);
}

void Transport::finish(std::uint32_t id) {
  MessageState& message = messages_[id];
  const std::uint32_t request = message.arrival.request;
  if (id < payloads_.size()) [[unlikely]]
    if (const Payload contents = std::exchange(payloads_[id], nullptr))
      memory_of(message.to)->write(index_of(message.to), requests_[request].into, contents);
  message.arrival.request = none;
  if (!message.departure.leaving) messages_.remove(id);
  requests_.complete(request);
}

// Its source may have waited for that, as if it slept: the message is no cause that ranks know.
void Transport::end_datagram(std::uint32_t id) {
  const std::int32_t source = messages_[id].envelope.source;
  messages_.remove(id);
  RankState& rank = ranks_[source];
  --rank.datagrams;
  if (rank.waits_for_room == 0) return;
  rank.waits_for_room = 0;
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->happen();
  coroutines_.resume_rank(source);
}

void Transport::count(std::uint32_t id, const Delivery& delivery) {
  const MessageState& message = messages_[id];
  Job& job = job_of(message.envelope.source);
  JobStatistics& s = job.statistics;
  s.packets += delivery.packets;
  s.routers += delivery.routers;
  const MessageStage stage = message.stage();
  if (stage == MessageStage::request_to_send || stage == MessageStage::clear_to_send) {
    ++s.control_messages;
    return;
  }
  const Time now = clock_.now;
  const Time sent = message.departure.sent;
  const Time latency = now - sent;
  ++s.messages;
  add_bytes(s.bytes, message.bytes);
  s.latency_sum += latency;
  s.latency_max = std::max(s.latency_max, latency);
  s.first_sent = std::min(s.first_sent, sent);
  s.last_delivered = now;
  s.latencies.add(latency);
  s.curve.add(now, message.bytes);
  if (message.last) s.first_done = std::min(s.first_done, now);
  if (!job.spec.record_messages) return;
  const double routers = delivery.packets == 0 ? 0.0
                                               : static_cast<double>(delivery.routers) /
                                                     static_cast<double>(delivery.packets);
  s.records.push_back({index_of(message.envelope.source), index_of(message.to), message.bytes, sent,
                       now, static_cast<float>(routers)});
}

std::uint32_t Transport::new_message() {
  const std::uint32_t id = messages_.add();
  if (id == most_slots)
    throw UserError("messages at a time", std::int64_t{most_slots} + 1,
                    "up to " + std::to_string(most_slots));
  return id;
}

// Contents that move with a message.
void Transport::keep(std::uint32_t message, Payload contents) {
  if (payloads_.size() <= message) payloads_.resize(messages_.size());
  payloads_[message] = std::move(contents);
}

}  // namespace odonata
