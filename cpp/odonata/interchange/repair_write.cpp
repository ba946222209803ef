// The third reading of a trace to be repaired: its calls as they are kept.
#include <algorithm>

#include "odonata/interchange/repair.hpp"
#include "odonata/trace/builder.hpp"

namespace odonata::interchange {

namespace {

using trace::Op;
using trace::Record;

constexpr std::int64_t calls_of_a_round = 65'536;  // of all ranks together, about

trace::Found found_of(const Record& record) {
  if (!record.decided) return trace::Found::unknown;
  return record.found.flag == 0 ? trace::Found::flag_off : trace::Found::flag_on;
}

void make_local(Record& record) {
  record.call.op = Op::local;
  record.call.comm = 0;
  record.call.request = trace::no_request;
  record.call.set(trace::Send{});
  record.words.clear();
  record.decided = false;
  record.found = {};
}

}  // namespace

// Ranks take turns by the shares of their calls, so that a player holds few blocks at a time.
void Repair::write(trace::Source& source, const Sink& sink) {
  begin_reading();
  trace::BlockBuilder builder(sink);
  std::int64_t calls = 0;
  for (const std::int64_t of_rank : num_calls_) calls += of_rank;
  const std::int64_t rounds = 1 + calls / calls_of_a_round;
  std::vector<std::int64_t> given(num_ranks_);
  Record record;
  for (std::int64_t round = 1; round <= rounds; ++round)
    for (int rank = 0; rank < num_ranks_; ++rank)
      for (; given[rank] < num_calls_[rank] * round / rounds && source.next(rank, record);
           ++given[rank]) {
        repair_call(ranks_[rank], record);
        builder.append(rank, record, found_of(record), record.found.outcomes);
      }
  builder.flush();
}

void Repair::repair_call(RankState& state, Record& record) {
  trace::Call& call = record.call;
  bool kept = true;
  switch (call.op) {
    case Op::communicator: return note_communicator(state, record);
    case Op::send: kept = keep_send(state, call.comm, call.send); break;
    case Op::isend:
      kept = keep_send(state, call.comm, call.send);
      mark(state, call.request, !kept);
      break;
    case Op::recv: kept = keep_receive(state, call.receive.source, call.receive.tag); break;
    case Op::irecv:
      kept = keep_receive(state, call.receive.source, call.receive.tag);
      mark(state, call.request, !kept);
      break;
    case Op::sendrecv: return repair_exchange(state, record);
    case Op::probe:
    case Op::iprobe: return repair_probe(state, record);
    case Op::collective:
    case Op::icollective: return repair_collective(state, record);
    case Op::wait:
    case Op::wait_any:
    case Op::wait_some:
    case Op::test:
    case Op::test_any:
    case Op::test_some: return repair_requests(state, record);
    default: return;
  }
  if (!kept) make_local(record);
}

void Repair::mark(RankState& state, std::uint32_t request, bool dropped) {
  if (request >= state.dropped_requests.size()) state.dropped_requests.resize(request + 1);
  state.dropped_requests[request] = dropped;
}

bool Repair::keep_send(RankState& state, std::uint32_t comm, trace::Send& send) {
  if (send.to < 0) return true;
  const Comm& on = state.comms[comm];
  trace::Channel& channel =
      channels_[channels_.number_of({on.identity, on.place, send.to, send.tag})];
  const std::int64_t message = channel.written++;
  const bool kept = message < channel.posted && !channel.holes.contains(message);
  if (!kept) ++repaired_.sends;
  if (const auto own = channel.tags.find(message); own != channel.tags.end())
    send.tag = own->second;
  if (state.buffered.contains(state.num_sends++) && kept) {
    send.mode = trace::Mode::buffered;
    ++repaired_.buffered;
  }
  return kept;
}

bool Repair::keep_receive(RankState& state, std::int32_t& source, std::int32_t& tag) {
  const auto decided = state.receives.find(state.num_receives++);
  if (decided == state.receives.end()) return true;
  if (decided->second.dropped) {
    ++repaired_.receives;
    return false;
  }
  if (source == trace::any || tag == trace::any) ++repaired_.named;
  source = decided->second.source;
  tag = decided->second.tag;
  return true;
}

void Repair::repair_exchange(RankState& state, Record& record) {
  trace::Exchange& both = record.call.exchange;
  trace::Send half{.to = both.to, .tag = both.send_tag};
  if (!keep_send(state, record.call.comm, half)) half.to = trace::nobody;
  both.to = half.to;
  both.send_tag = half.tag;
  if (!keep_receive(state, both.source, both.receive_tag)) both.source = trace::nobody;
}

void Repair::repair_probe(RankState& state, Record& record) {
  if (record.decided && record.found.flag == 0) return;
  const auto decided = state.probes.find(state.num_probes++);
  if (decided == state.probes.end()) return;
  const Comm& comm = state.comms[record.call.comm];
  const trace::Channel& channel = channels_[channels_.number_of(
      {comm.identity, decided->second.source, comm.place, decided->second.tag})];
  if (decided->second.dropped || !channel.tags.empty()) {
    ++repaired_.probes;
    return make_local(record);
  }
  record.call.probe = {decided->second.source, decided->second.tag};
}

void Repair::repair_requests(RankState& state, Record& record) {
  const auto dropped = [&](std::uint64_t request) {
    return request < state.dropped_requests.size() && state.dropped_requests[request];
  };
  if (std::none_of(record.words.begin(), record.words.end(), dropped)) return;
  std::vector<std::uint64_t> words;
  std::vector<trace::Outcome> outcomes;
  for (std::size_t i = 0; i < record.words.size(); ++i) {
    if (dropped(record.words[i])) continue;
    for (const trace::Outcome& outcome : record.found.outcomes)
      if (outcome.index == i)
        outcomes.push_back({.index = static_cast<std::uint32_t>(words.size())});
    words.push_back(record.words[i]);
  }
  const bool succeeded = record.decided && record.found.flag != 0;
  if (words.empty() || (succeeded && outcomes.empty())) {
    if (succeeded || !record.decided) return make_local(record);
  }
  record.words = std::move(words);
  record.found.outcomes = std::move(outcomes);
}

void Repair::repair_collective(RankState& state, Record& record) {
  Comm& comm = state.comms[record.call.comm];
  if (comm.num_collectives++ < groups_[comm.identity].kept) return;
  ++repaired_.collectives;
  const std::uint32_t request = record.call.request;
  if (record.call.op == Op::icollective) mark(state, request, true);
  make_local(record);
}

}  // namespace odonata::interchange
