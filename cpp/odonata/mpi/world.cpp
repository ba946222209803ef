#include "odonata/mpi/world.hpp"

#include <algorithm>

#include "odonata/mpi/rank.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

World::World(const Machine& machine, const MpiOptions& options, Clock& clock, std::uint64_t seed)
    : machine_(machine), options_(options), clock_(clock), seed_(seed), strands_(1), requests_(1) {}

int World::add(JobSpec job) {
  const auto number = static_cast<std::int32_t>(jobs_.size());
  const auto first = static_cast<std::int32_t>(ranks_.size());
  for (std::size_t i = 0; i < job.nodes.size(); ++i) {
    homes_.push_back({number, static_cast<std::int32_t>(i), job.nodes[i]});
    ranks_.emplace_back();
  }
  if (!job.background) running_ += static_cast<std::int64_t>(job.nodes.size());
  jobs_.push_back({std::move(job), first, {}});
  return number;
}

void World::start() {
  for (Job& job : jobs_) {
    const auto size = static_cast<std::int32_t>(job.spec.nodes.size());
    for (std::int32_t i = 0; i < size; ++i) {
      const std::int32_t rank = job.first_rank + i;
      rank_at(rank).program =
          oversee(rank, job.spec.program(Rank(*this, rank, {job.first_rank, size, rank})));
      clock_.at(0, Kind::resume, static_cast<std::uint64_t>(rank));
    }
  }
}

void World::handle(const Event& event) {
  const std::uint32_t entity = entity_of(event.key);
  switch (kind_of(event.key)) {
    case Kind::local: return delivered(entity, Crossing{});
    case Kind::step: return step(entity);
    case Kind::resume: return resume(event.key);
    default: throw InternalError("mpi: an event of a kind that is not its own");
  }
}

void World::resume(std::uint64_t key) {
  const auto strand = static_cast<Strand>(key >> 32 & most_turns);
  const auto rank = static_cast<std::int32_t>(entity_of(key));
  if (strand == 0) [[likely]]
    return resume_rank(rank);
  if (foresight_) --foresight_->asleep[static_cast<std::size_t>(rank)];
  resume_strand(-strand);
}

void World::resume_rank(std::int32_t rank) {
  const auto waiting = std::exchange(rank_at(rank).waiting, nullptr);
  if (waiting)
    waiting.resume();
  else
    rank_at(rank).program.start();
  if (failure_) [[unlikely]]
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Runs a rank's program and notes its end.
Task World::oversee(std::int32_t rank, Task program) {
  try {
    co_await program;
  } catch (...) {
    failure_ = std::current_exception();
  }
  rank_at(rank).finished = now(rank);
  if (!job_of(rank).spec.background) --running_;
}

void World::resume_at(Strand strand, Time time, std::coroutine_handle<> waiting) {
  suspend(strand, waiting);
  if (foresight_ && strand < 0) [[unlikely]]
    ++foresight_->asleep[static_cast<std::size_t>(rank_of(strand))];
  const auto beside = static_cast<std::uint64_t>(strand < 0 ? -strand : 0);
  clock_.at(time, Kind::resume, beside << 32 | static_cast<std::uint64_t>(rank_of(strand)));
}

void World::occupy(std::int32_t rank, Time time) { rank_at(rank).cpu_free = now(rank) + time; }

// ---- sending

Request World::isend(std::int32_t rank, std::int32_t to, const Span& from, std::int32_t tag,
                     std::int32_t context, Sending how) {
  const bool eager = from.bytes <= options_.eager_threshold && how.mode != SendMode::synchronous;
  const bool buffered = how.mode == SendMode::buffered;
  Time cost = options_.send_overhead;
  if (eager) cost += options_.send_per_byte.of(from.bytes);
  const bool at_once = cost == 0 && rank_at(rank).cpu_free <= clock_.now;
  const Request request{(eager || buffered) && at_once ? 0 : new_request()};
  const std::uint32_t id = new_message();
  MessageState& message = messages_[id];
  message.envelope = {rank, tag, context};
  message.to = to;
  message.bytes = from.bytes;
  message.asks = !eager;
  message.buffered = buffered;
  message.serial = how.serial;
  message.send_request = request.id;
  if (Memory* memory = memory_of(rank)) keep(id, memory->read(index_of(rank), from));
  const std::uint32_t before =
      pairs_.push(PairTable::pair(rank, to), id, [this](std::uint32_t m) { return pair_of(m); });
  if (before != none) {
    messages_[before].successor = id;
    message.held = true;
  }
  if (at_once)
    hand_over(id);
  else
    after_cost(rank, cost, id, Stage::sending);
  return request;
}

void World::post(std::int32_t rank, std::int32_t to, Bytes bytes, bool last) {
  const std::uint32_t id = new_message();
  MessageState& message = messages_[id];
  message.envelope = {rank, 0, 0};
  message.to = to;
  message.bytes = bytes;
  message.stage = Stage::datagram;
  message.last = last;
  message.sent = clock_.now;
  launch(id, rank, to, bytes);
}

// Messages that cost nothing are ready when what the processor does now is: in turn, not by slot.
void World::after_cost(std::int32_t rank, Time cost, std::uint32_t message, Stage stage) {
  RankState& state = rank_at(rank);
  messages_[message].stage = stage;
  state.turn = cost == 0 && state.cpu_free > clock_.now ? (state.turn + 1) & most_turns : 0;
  occupy(rank, cost);
  if (state.cpu_free <= clock_.now) return step(message);
  if (foresight_) [[unlikely]]
    expect(message, state.cpu_free);
  clock_.at(state.cpu_free, Kind::step, std::uint64_t{state.turn} << 32 | message);
}

void World::step(std::uint32_t id) {
  if (foresight_) [[unlikely]]
    note_step(messages_[id]);
  switch (messages_[id].stage) {
    case Stage::sending: return hand_over(id);
    case Stage::matched: return answer(id);
    case Stage::preparing: return send_data(id);
    case Stage::receiving: return finish(id);
    default: throw InternalError("mpi: a message has paid for nothing");
  }
}

void World::hand_over(std::uint32_t id) {
  MessageState& message = messages_[id];
  const std::int32_t from = message.envelope.source, to = message.to;
  message.sent = clock_.now;
  const bool eager = !message.asks;
  message.stage = eager ? Stage::eager : Stage::asking;
  const bool over = eager || message.buffered;
  const std::uint32_t request = over ? std::exchange(message.send_request, 0) : 0;
  launch(id, from, to, eager ? message.bytes : options_.control_bytes);
  if (over) complete(request);
}

void World::launch(std::uint32_t id, std::int32_t from, std::int32_t to, Bytes bytes) {
  const std::int32_t a = node_of(from), b = node_of(to);
  if (foresight_) [[unlikely]]
    expect(id, clock_.now);
  if (a != b) return network_->send(id, {a, b, bytes, messages_[id].leaving});
  const Time time = machine_.node_latency + machine_.node_bandwidth.time_of(bytes);
  clock_.at(clock_.now + time, Kind::local, id);
}

// ---- arriving

void World::announce(std::uint32_t id, Soon when) const {
  const MessageState& message = messages_[id];
  if (when == Soon::later) return fetch(&message);
  if (message.stage == Stage::datagram) return;
  const RankState& to = ranks_[static_cast<std::size_t>(message.to)];
  if (when == Soon::nearer) return fetch(&to);
  fetch(&requests_[to.mailbox.next_posted()]);
  prefetch_program(to);
  network_->prefetch_node(node_of(message.to));
}

void World::delivered(std::uint32_t id, Crossing crossing) {
  MessageState& message = messages_[id];
  if (foresight_) [[unlikely]]
    note_delivered(message, id);
  switch (message.stage) {
    case Stage::eager:
    case Stage::asking:
      count(id, crossing);
      message.arrived = true;
      if (!message.held) arrive(id);
      return;
    case Stage::answering:
      count(id, crossing);
      return after_cost(message.envelope.source, options_.send_per_byte.of(message.bytes), id,
                        Stage::preparing);
    case Stage::data: count(id, crossing); return receive_data(id);
    case Stage::datagram: count(id, crossing); return release(id);
    default: throw InternalError("mpi: a message arrives that was not on its way");
  }
}

// In the order of sending: those of the same pair that came too early follow.
void World::arrive(std::uint32_t id) {
  while (id != none) {
    const Envelope envelope = messages_[id].envelope;
    const std::int32_t to = messages_[id].to;
    const std::uint32_t next = messages_[id].successor;
    pairs_.pop(pair_of(id), id, [this](std::uint32_t m) { return pair_of(m); });
    if (next != none) messages_[next].held = false;
    RankState& rank = rank_at(to);
    if (const auto receive = rank.mailbox.arrive(envelope, id))
      match(id, *receive, false);
    else if (rank.probing) [[unlikely]]
      tell_prober(to, envelope);
    id = next != none && messages_[next].arrived ? next : none;
  }
}

Request World::irecv(std::int32_t rank, std::int32_t source, const Span& into, std::int32_t tag,
                     std::int32_t context) {
  const std::uint32_t request = new_request();
  requests_[request].into = into;
  const auto message = rank_at(rank).mailbox.post({source, tag, context}, request);
  if (message) match(*message, request, true);
  return {request};
}

void World::match(std::uint32_t id, std::uint32_t receive, bool unexpected) {
  MessageState& message = messages_[id];
  RequestState& request = requests_[receive];
  if (message.bytes > request.into.bytes && !rank_at(message.to).any_length)
    throw UserError("message truncated: rank " + std::to_string(index_of(message.to)) +
                    " receives " + std::to_string(message.bytes) + " bytes from rank " +
                    std::to_string(index_of(message.envelope.source)) + " into " +
                    std::to_string(request.into.bytes));
  message.recv_request = receive;
  request.status = status_of(message);
  const bool eager = message.stage == Stage::eager;
  Time cost = options_.recv_overhead;
  if (eager) cost += options_.recv_per_byte.of(message.bytes);
  if (eager && unexpected) cost += options_.copy_per_byte.of(message.bytes);
  after_cost(message.to, cost, id, eager ? Stage::receiving : Stage::matched);
}

Status World::status_of(const MessageState& message) const {
  return {index_of(message.envelope.source), message.envelope.tag, message.bytes, message.serial,
          false};
}

void World::answer(std::uint32_t id) {
  MessageState& message = messages_[id];
  message.stage = Stage::answering;
  launch(id, message.to, message.envelope.source, options_.control_bytes);
}

void World::send_data(std::uint32_t id) {
  MessageState& message = messages_[id];
  message.stage = Stage::data;
  message.leaving = node_of(message.envelope.source) != node_of(message.to);
  launch(id, message.envelope.source, message.to, message.bytes);
}

void World::receive_data(std::uint32_t id) {
  const MessageState& message = messages_[id];
  if (!message.leaving) complete(std::exchange(messages_[id].send_request, 0));
  after_cost(messages_[id].to, options_.recv_per_byte.of(messages_[id].bytes), id,
             Stage::receiving);
}

void World::injected(std::uint32_t id) {
  messages_[id].leaving = false;
  if (foresight_) [[unlikely]] {
    foresight_->lookahead.settle(id, Lookahead::Side::sender);
    foresight_->lookahead.touch(messages_[id].envelope.source);
  }
  const std::uint32_t request = std::exchange(messages_[id].send_request, 0);
  if (messages_[id].recv_request == none) release(id);  // the receiver was quicker
  complete(request);
}

void World::finish(std::uint32_t id) {
  MessageState& message = messages_[id];
  const std::uint32_t request = message.recv_request;
  if (id < payloads_.size()) [[unlikely]]
    if (const Payload contents = std::exchange(payloads_[id], nullptr))
      memory_of(message.to)->write(index_of(message.to), requests_[request].into, contents);
  message.recv_request = none;
  if (!message.leaving) release(id);
  complete(request);
}

void World::count(std::uint32_t id, const Crossing& crossing) {
  const MessageState& message = messages_[id];
  const Home& from = home(message.envelope.source);
  JobStatistics& s = jobs_[static_cast<std::size_t>(from.job)].statistics;
  s.packets += crossing.packets;
  s.routers += crossing.routers;
  if (message.stage == Stage::asking || message.stage == Stage::answering) {
    ++s.control_messages;
    return;
  }
  const Time now = clock_.now, latency = now - message.sent;
  ++s.messages;
  s.bytes += message.bytes;
  s.latency_sum += latency;
  s.latency_max = std::max(s.latency_max, latency);
  s.first_sent = std::min(s.first_sent, message.sent);
  s.last_delivered = now;
  s.latencies.add(latency);
  s.curve.add(now, message.bytes);
  if (message.last) s.first_done = std::min(s.first_done, now);
  if (!jobs_[static_cast<std::size_t>(from.job)].spec.record_messages) return;
  const double routers = crossing.packets == 0 ? 0.0
                                               : static_cast<double>(crossing.routers) /
                                                     static_cast<double>(crossing.packets);
  s.records.push_back({from.index, index_of(message.to), message.bytes, message.sent, now,
                       static_cast<float>(routers)});
}

// ---- requests

void World::complete(std::uint32_t id) {
  if (id == 0) return;
  RequestState& request = requests_[id];
  request.done = true;
  if (!request.waited) return;
  if (request.waiter < 0) [[unlikely]]
    return fulfil(request.waiter);
  RankState& rank = rank_at(request.waiter);
  if (--rank.pending > 0) return;
  std::exchange(rank.waiting, nullptr).resume();
  if (failure_) [[unlikely]]
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool World::prepare_wait(Strand strand, std::span<const Request> requests) {
  std::int32_t pending = 0;
  for (const Request r : requests) {
    if (done(r)) continue;
    requests_[r.id].waited = true;
    requests_[r.id].waiter = strand;
    ++pending;
  }
  (strand >= 0 ? rank_at(strand).pending : strand_at(strand).pending) = pending;
  return pending == 0;
}

bool World::prepare_wait_any(Strand strand, std::span<const Request> requests) {
  const auto complete = [this](Request r) { return done(r); };
  if (requests.empty() || std::any_of(requests.begin(), requests.end(), complete)) return true;
  prepare_wait(strand, requests);
  (strand >= 0 ? rank_at(strand).pending : strand_at(strand).pending) = 1;
  return false;
}

void World::stop_waiting(std::span<const Request> requests) {
  for (const Request r : requests)
    if (!done(r)) requests_[r.id].waited = false;
}

Status World::retire(Request request) {
  if (request.id == 0) return {};
  const Status status = requests_[request.id].status;
  free_requests_.push_back(request.id);
  return status;
}

std::uint32_t World::new_request() {
  if (free_requests_.empty()) {
    requests_.emplace_back();
    return static_cast<std::uint32_t>(requests_.size() - 1);
  }
  const std::uint32_t id = free_requests_.back();
  free_requests_.pop_back();
  requests_[id] = RequestState{};
  return id;
}

std::uint32_t World::new_message() {
  if (free_messages_.empty()) {
    messages_.emplace_back();
    return static_cast<std::uint32_t>(messages_.size() - 1);
  }
  const std::uint32_t id = free_messages_.back();
  free_messages_.pop_back();
  messages_[id] = MessageState{};
  return id;
}

void World::release(std::uint32_t message) { free_messages_.push_back(message); }

// Contents that move with a message.
void World::keep(std::uint32_t message, Payload contents) {
  if (payloads_.size() <= message) payloads_.resize(messages_.size());
  payloads_[message] = std::move(contents);
}

// ---- what is asked about the world

Memory* World::memory_of(std::int32_t rank) const {
  return jobs_[static_cast<std::size_t>(home(rank).job)].spec.memory;
}

void World::mark_phase(std::int32_t rank, const std::string& name) {
  JobStatistics& s = job_of(rank).statistics;
  auto found = std::find(s.phases.begin(), s.phases.end(), name);
  if (found == s.phases.end()) found = s.phases.insert(found, name);
  s.marks.push_back(
      {index_of(rank), static_cast<std::int32_t>(found - s.phases.begin()), now(rank)});
}

std::vector<Time> World::finish_times(int job) const {
  const Job& j = jobs_[static_cast<std::size_t>(job)];
  std::vector<Time> out;
  for (std::size_t i = 0; i < j.spec.nodes.size(); ++i)
    out.push_back(ranks_[static_cast<std::size_t>(j.first_rank) + i].finished);
  return out;
}

}  // namespace odonata
