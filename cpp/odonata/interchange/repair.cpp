#include "odonata/interchange/repair.hpp"

#include <algorithm>
#include <utility>

namespace odonata::interchange {

namespace {

using trace::Op;
using trace::Record;

constexpr std::uint64_t identity_of_world = ~std::uint64_t{0};
constexpr std::uint64_t identities_of_selves = std::uint64_t{1} << 63U;

std::uint32_t what(const trace::CollectiveCall& call) {
  const auto root = static_cast<std::uint32_t>(call.root + 2);
  return static_cast<std::uint32_t>(call.operation) | root << 8U;
}

}  // namespace

Repair::Repair(int ranks) : num_ranks_(ranks), num_calls_(ranks) { begin_reading(); }

void Repair::begin_reading() {
  const std::vector<RankState> before = std::exchange(ranks_, {});
  ranks_.resize(num_ranks_);
  for (int rank = 0; rank < num_ranks_; ++rank) {
    RankState& state = ranks_[rank];
    if (!before.empty()) {
      state.receives = before[rank].receives;
      state.probes = before[rank].probes;
      state.buffered = before[rank].buffered;
    }
    const auto size = static_cast<std::size_t>(num_ranks_);
    state.comms.push_back({identity_of_world, rank, size, nullptr, 0});
    state.comms.push_back(
        {identities_of_selves + static_cast<std::uint64_t>(rank), 0, 1,
         std::make_shared<const std::vector<std::uint64_t>>(1, static_cast<std::uint64_t>(rank)),
         0});
  }
}

void Repair::note_communicator(RankState& state, const Record& record) {
  const std::uint32_t number = record.call.comm;
  if (number >= state.comms.size()) state.comms.resize(number + 1);
  const trace::Creation& made = record.call.communicator;
  state.comms[number] = {made.identity, static_cast<std::int32_t>(made.position),
                         record.words.size(),
                         std::make_shared<const std::vector<std::uint64_t>>(record.words), 0};
}

// ---- first reading

void Repair::count(trace::Source& source) {
  begin_reading();
  Record record;
  for (int rank = 0; rank < num_ranks_; ++rank)
    while (source.next(rank, record)) {
      ++num_calls_[rank];
      count_call(rank, record);
    }
  settle_collectives();
}

void Repair::count_call(int rank, const Record& record) {
  RankState& state = ranks_[rank];
  const trace::Call& call = record.call;
  const auto count_send = [&](std::int32_t to, std::int32_t tag) {
    const Comm& comm = state.comms[call.comm];
    if (to >= 0) ++channels_[channels_.number_of({comm.identity, comm.place, to, tag})].total;
  };
  const auto count_receive = [&](std::int32_t source, std::int32_t tag) {
    const Comm& comm = state.comms[call.comm];
    if (source == trace::any || tag == trace::any)
      channels_.from_anything(comm.identity, comm.place) = true;
    else if (source >= 0)
      ++channels_[channels_.number_of({comm.identity, source, comm.place, tag})].wanted;
  };
  switch (call.op) {
    case Op::communicator: return note_communicator(state, record);
    case Op::send:
    case Op::isend: return count_send(call.send.to, call.send.tag);
    case Op::recv:
    case Op::irecv: return count_receive(call.receive.source, call.receive.tag);
    case Op::sendrecv:
      count_send(call.exchange.to, call.exchange.send_tag);
      return count_receive(call.exchange.source, call.exchange.receive_tag);
    case Op::collective:
    case Op::icollective: {
      const Comm& comm = state.comms[call.comm];
      Group& group = groups_[comm.identity];
      group.size = comm.size;
      if (group.called.size() < comm.size) group.called.resize(comm.size);
      group.called[comm.place].push_back(what(call.collective));
      return;
    }
    default: return;
  }
}

// Kept are the first ones, as long as all members call the same.
void Repair::settle_collectives() {
  for (auto& [identity, group] : groups_) {
    std::size_t kept = group.called.front().size();
    for (const auto& called : group.called) {
      const auto end = std::mismatch(called.begin(), called.end(), group.called.front().begin(),
                                     group.called.front().end());
      kept = std::min(kept, static_cast<std::size_t>(end.first - called.begin()));
    }
    group.kept = static_cast<std::int64_t>(kept);
    group.called.clear();
  }
}

}  // namespace odonata::interchange
