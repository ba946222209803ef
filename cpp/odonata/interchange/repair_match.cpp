// The second reading of a trace to be repaired: its calls, played without time.
#include <algorithm>
#include <utility>

#include "odonata/interchange/repair.hpp"

namespace odonata::interchange {

namespace {

using trace::Op;
using trace::Record;

bool completes(Op op) {
  return op == Op::wait || op == Op::wait_any || op == Op::wait_some || op == Op::test ||
         op == Op::test_any || op == Op::test_some;
}

constexpr std::size_t least_exhausted = 64;  // channels without messages that are passed over

bool found_nothing(const Record& record) { return record.decided && record.found.flag == 0; }

bool may_wait(const trace::Send& send) {
  if (send.mode == trace::Mode::buffered) return false;
  return send.mode == trace::Mode::synchronous || send.bytes > Repair::always_eager;
}

// Requests that the call waits for: the ones it found complete, or all.
std::vector<std::uint64_t> awaited(const Record& record) {
  if (!record.decided)
    return record.words.empty() && record.call.request != trace::no_request
               ? std::vector<std::uint64_t>{record.call.request}
               : record.words;
  std::vector<std::uint64_t> some;
  for (const trace::Outcome& outcome : record.found.outcomes)
    if (outcome.index < record.words.size()) some.push_back(record.words[outcome.index]);
  return some;
}

}  // namespace

void Repair::match(trace::Source& source) {
  begin_reading();
  for (int rank = 0; rank < num_ranks_; ++rank) wake(rank);
  do {
    while (!queue_.empty()) {
      const int rank = queue_.front();
      queue_.pop_front();
      ranks_[rank].queued = false;
      run(source, rank);
    }
  } while (unblock());
}

void Repair::wake(int rank) {
  RankState& state = ranks_[rank];
  if (state.queued || state.ended) return;
  state.queued = true;
  queue_.push_back(rank);
}

void Repair::run(trace::Source& source, int rank) {
  RankState& state = ranks_[rank];
  for (;;) {
    if (!state.has_record) {
      if (!source.next(rank, state.record)) {
        state.ended = true;
        return;
      }
      state.has_record = true;
      state.begun = false;
    }
    if (step(rank) == Step::blocked) return;
    state.has_record = false;
  }
}

Repair::Step Repair::step(int rank) {
  RankState& state = ranks_[rank];
  const trace::Call& call = state.record.call;
  switch (call.op) {
    case Op::communicator: note_communicator(state, state.record); return Step::done;
    case Op::send: return step_send(state);
    case Op::isend: request_of(state, call.request) = send(state, call.send); return Step::done;
    case Op::recv:
    case Op::sendrecv: return step_receive(state);
    case Op::irecv:
      request_of(state, call.request) = post(state, call.receive.source, call.receive.tag);
      return Step::done;
    case Op::probe:
    case Op::iprobe: return found_nothing(state.record) ? Step::done : step_probe(state);
    case Op::collective:
    case Op::icollective: return step_collective(rank);
    default: return completes(call.op) ? step_requests(state) : Step::done;
  }
}

Repair::Pending& Repair::request_of(RankState& state, std::uint32_t request) {
  if (request >= state.requests.size()) state.requests.resize(request + 1);
  return state.requests[request];
}

// ---- sends

Repair::Pending Repair::send(RankState& state, const trace::Send& what) {
  Pending pending;
  if (what.to < 0) return pending;
  const Comm& comm = state.comms[state.record.call.comm];
  const trace::Channels::Number number =
      channels_.number_of({comm.identity, comm.place, what.to, what.tag});
  const std::int64_t own = state.num_sends++;
  pending.channel = number;
  pending.message = channels_[number].sent++;
  const bool received =
      pending.message < channels_[number].wanted || channels_.from_anything(comm.identity, what.to);
  if (received && may_wait(what)) pending.send = own;
  wake(world_rank(comm, what.to));
  return pending;
}

Repair::Step Repair::step_send(RankState& state) {
  if (!state.begun) {
    state.begun = true;
    state.own = send(state, state.record.call.send);
  }
  return arrived(state, state.own) ? Step::done : Step::blocked;
}

// Wakes the sender of a channel, whose message has a receive now.
void Repair::took(const RankState& state, std::uint32_t comm, const trace::Channel& channel) {
  wake(world_rank(state.comms[comm], channel.key.from));
}

// ---- receives

// A receive from anything is given a channel when its rank waits for it, and is left out if it
// never does.
Repair::Pending Repair::post(RankState& state, std::int32_t source, std::int32_t tag) {
  Pending pending{state.num_receives++, {}, 0, state.record.call.comm, source, tag};
  if (source == trace::nobody) pending.receive = -1;
  if (pending.receive < 0) return pending;
  if (source == trace::any || tag == trace::any) {
    state.receives[pending.receive].dropped = true;
    return pending;
  }
  const Comm& comm = state.comms[pending.comm];
  const trace::Channels::Number number =
      channels_.number_of({comm.identity, source, comm.place, tag});
  trace::Channel& channel = channels_[number];
  if (channel.posted >= channel.total) {
    give_up(state, pending);
    return pending;
  }
  pending.channel = number;
  pending.message = channel.posted++;
  channel.last_receive = pending.receive;
  took(state, pending.comm, channel);
  return pending;
}

// The receive becomes a local call, and so does the send of its message, if it ever comes.
void Repair::give_up(RankState& state, Pending& pending) {
  if (pending.receive < 0) return;
  state.receives[pending.receive].dropped = true;
  if (pending.channel) channels_[*pending.channel].holes.insert(pending.message);
  pending.receive = -1;
}

bool Repair::arrived(RankState& state, Pending& pending) {
  if (pending.send >= 0) {
    if (channels_[*pending.channel].posted <= pending.message) return false;
    pending.send = -1;
  }
  if (pending.receive < 0) return true;
  if (!pending.channel) {
    bool possible = false;
    const std::optional<trace::Channels::Number> number = any_channel(state, pending, possible);
    if (!number && !possible) give_up(state, pending);
    if (!number) return !possible;
    trace::Channel& channel = channels_[*number];
    pending.channel = number;
    pending.message = channel.posted++;
    const bool overtaken = channel.last_receive > pending.receive;
    if (overtaken) channel.tags[pending.message] = next_tag_;
    state.receives[pending.receive] = {false, channel.key.from,
                                       overtaken ? next_tag_++ : channel.key.tag};
    channel.last_receive = std::max(channel.last_receive, pending.receive);
    took(state, pending.comm, channel);
  }
  if (channels_[*pending.channel].sent <= pending.message) return false;
  pending.receive = -1;
  return true;
}

// A channel with a message that is there and that no other receive has; `possible`: one may come.
std::optional<trace::Channels::Number> Repair::any_channel(const RankState& state,
                                                           const Pending& wanted, bool& possible) {
  const Comm& comm = state.comms[wanted.comm];
  std::vector<trace::Channels::Number>& all = channels_.to(comm.identity, comm.place);
  std::size_t exhausted = 0;
  const auto is_exhausted = [this](trace::Channels::Number number) {
    return channels_[number].posted >= channels_[number].total;
  };
  for (const trace::Channels::Number number : all) {
    const trace::Channel& channel = channels_[number];
    if (is_exhausted(number)) {
      if (++exhausted < least_exhausted || 2 * exhausted < all.size()) continue;
      std::erase_if(all, is_exhausted);
      return any_channel(state, wanted, possible);
    }
    const bool fits = (wanted.source == trace::any || wanted.source == channel.key.from) &&
                      (wanted.tag == trace::any || wanted.tag == channel.key.tag);
    if (!fits) continue;
    if (channel.sent > channel.posted) return number;
    possible = possible || channel.total > std::max(channel.posted, channel.sent);
  }
  return std::nullopt;
}

Repair::Step Repair::step_receive(RankState& state) {
  const trace::Call& call = state.record.call;
  if (!state.begun) {
    state.begun = true;
    if (call.op == Op::sendrecv) {
      send(state, {.to = call.exchange.to, .tag = call.exchange.send_tag});
      state.own = post(state, call.exchange.source, call.exchange.receive_tag);
    } else {
      state.own = post(state, call.receive.source, call.receive.tag);
    }
  }
  return arrived(state, state.own) ? Step::done : Step::blocked;
}

Repair::Step Repair::step_requests(RankState& state) {
  if (found_nothing(state.record)) return Step::done;
  for (const std::uint64_t request : awaited(state.record))
    if (request < state.requests.size() && !arrived(state, state.requests[request]))
      return Step::blocked;
  return Step::done;
}

Repair::Step Repair::step_probe(RankState& state) {
  const trace::Probe& call = state.record.call.probe;
  if (call.source == trace::nobody) {
    ++state.num_probes;
    return Step::done;
  }
  bool possible = false;
  const auto number =
      any_channel(state, {0, {}, 0, state.record.call.comm, call.source, call.tag}, possible);
  if (!number && possible) return Step::blocked;
  Decision& decision = state.probes[state.num_probes++];
  if (number)
    decision = {false, channels_[*number].key.from, channels_[*number].key.tag};
  else
    decision.dropped = true;
  return Step::done;
}

Repair::Step Repair::step_collective(int rank) {
  RankState& state = ranks_[rank];
  Comm& comm = state.comms[state.record.call.comm];
  Group& group = groups_[comm.identity];
  const std::int64_t number = comm.num_collectives;
  if (number >= group.kept) {
    ++comm.num_collectives;
    return Step::done;
  }
  const auto place = static_cast<std::size_t>(number);
  if (!state.begun) {
    state.begun = true;
    if (group.arrived.size() <= place) group.arrived.resize(place + 1);
    if (++group.arrived[place] == group.size)
      for (const int waiting : std::exchange(group.waiting, {})) wake(waiting);
  }
  if (group.arrived[place] < group.size && state.record.call.op == Op::collective) {
    group.waiting.push_back(rank);
    return Step::blocked;
  }
  ++comm.num_collectives;
  return Step::done;
}

// ---- circles

// Gives up a call that a rank waits in; false if no rank waits.
bool Repair::unblock() {
  for (int rank = 0; rank < num_ranks_; ++rank) {
    if (ranks_[rank].ended || !unblock_send(ranks_[rank])) continue;
    wake(rank);
    return true;
  }
  for (int rank = 0; rank < num_ranks_; ++rank) {
    RankState& state = ranks_[rank];
    if (state.ended || !unblock_receive(state)) continue;
    wake(rank);
    return true;
  }
  return unblock_collective();
}

// The send that the rank waits for is complete without its receive.
bool Repair::unblock_send(RankState& state) {
  const auto release = [&](Pending& pending) {
    if (pending.send < 0 || arrived(state, pending)) return false;
    state.buffered.insert(std::exchange(pending.send, -1));
    return true;
  };
  if (state.record.call.op == Op::send) return release(state.own);
  if (!completes(state.record.call.op)) return false;
  for (const std::uint64_t request : awaited(state.record))
    if (request < state.requests.size() && release(state.requests[request])) return true;
  return false;
}

bool Repair::unblock_receive(RankState& state) {
  const Op op = state.record.call.op;
  if (op == Op::recv || op == Op::sendrecv) {
    give_up(state, state.own);
    return true;
  }
  if (op == Op::probe || op == Op::iprobe) {
    state.probes[state.num_probes++].dropped = true;
    state.record.call.op = Op::local;
    return true;
  }
  if (!completes(op)) return false;
  for (const std::uint64_t request : awaited(state.record))
    if (request < state.requests.size() && !arrived(state, state.requests[request])) {
      give_up(state, state.requests[request]);
      return true;
    }
  return true;
}

// No later collective of the communicator is kept.
bool Repair::unblock_collective() {
  for (auto& entry : groups_) {
    Group& group = entry.second;
    if (group.waiting.empty()) continue;
    const auto incomplete = std::find_if(group.arrived.begin(), group.arrived.end(),
                                         [&](std::uint32_t came) { return came < group.size; });
    group.kept = std::min<std::int64_t>(group.kept, incomplete - group.arrived.begin());
    for (const int waiting : std::exchange(group.waiting, {})) wake(waiting);
    return true;
  }
  return false;
}

}  // namespace odonata::interchange
