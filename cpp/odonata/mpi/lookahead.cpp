#include "odonata/mpi/lookahead.hpp"

#include <algorithm>
#include <unordered_map>

namespace odonata {

namespace {

using Side = ExpectedEvents::Side;

Time later_by(Time time, Time more) { return time >= never - more ? never : time + more; }

}  // namespace

Lookahead::Lookahead(const Machine& machine, const MpiOptions& options, const Ranks& ranks,
                     const LeastTime& least, std::span<const Job> jobs)
    : options_(options), ranks_(ranks), least_(least) {
  for (const Job& job : jobs) {
    const std::vector<Time> times = reaches(machine, job.spec.nodes);
    reach_.insert(reach_.end(), times.begin(), times.end());
  }
  expected_.resize(reach_.size());
}

void Lookahead::expect_under_way(std::uint32_t id, const MessageState& m, Time now) {
  const auto expect = [&](Side side) {
    const std::int32_t rank = side == Side::sender ? m.envelope.source : m.to;
    expected_.expect(rank, id, side, now);
  };
  switch (m.stage()) {
    case MessageStage::sending:
    case MessageStage::eager:
    case MessageStage::request_to_send:
      if (!m.arrival.arrived) expect(Side::receiver);
      return;
    case MessageStage::matched:
    case MessageStage::clear_to_send:
    case MessageStage::preparing: expect(Side::sender); return expect(Side::receiver);
    case MessageStage::data:
      if (m.departure.leaving || node_of(m.envelope.source) == node_of(m.to)) expect(Side::sender);
      return expect(Side::receiver);
    case MessageStage::receiving:
      if (m.departure.leaving) expect(Side::sender);
      return;
    case MessageStage::datagram: return;
  }
}

// An event that is not foreseen begins with an overhead of another rank of the job, which sends or
// answers a request to send. The nearest other rank is on the same node, behind the same router, or
// elsewhere.
std::vector<Time> Lookahead::reaches(const Machine& machine,
                                     const std::vector<std::int32_t>& nodes) const {
  const auto router = [&machine](std::int32_t node) { return machine.node_router[node]; };
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> by_router;  // two nodes at most
  std::unordered_map<std::int32_t, int> ranks_on;                         // a node
  for (const std::int32_t node : nodes) {
    std::vector<std::int32_t>& known = by_router[router(node)];
    if (++ranks_on[node] == 1 && known.size() < 2) known.push_back(node);
  }
  const auto overhead = [this](bool inside_node) {
    return std::min(options_.overhead_of_send(inside_node),
                    options_.overhead_of_receive(inside_node));
  };
  std::vector<Time> out;
  for (const std::int32_t node : nodes) {
    const Time inside =
        ranks_on[node] > 1 ? later_by(least_.across(node, node, 0), overhead(true)) : never;
    Time soonest = never;
    for (const std::int32_t other : by_router[router(node)])
      if (other != node) soonest = std::min(soonest, least_.across(other, node, 0));
    for (const auto& [number, known] : by_router) {
      if (number == router(node)) continue;
      soonest = std::min(soonest, least_.across(known.front(), node, 0));
      break;
    }
    out.push_back(std::min(inside, later_by(soonest, overhead(false))));
  }
  return out;
}

Time Lookahead::earliest(std::int32_t rank, Time unforeseen) {
  const Time reached = later_by(unforeseen, reach_[rank]);
  return std::min(reached, expected_.earliest(rank));
}

void Lookahead::expect(std::uint32_t id, const MessageState& m, Time ready) {
  if (m.stage() == MessageStage::datagram) return;
  const std::int32_t from = node_of(m.envelope.source), to = node_of(m.to);
  const auto sender = [&](Time when) {
    expected_.expect(m.envelope.source, id, Side::sender, when);
  };
  const auto receiver = [&](Time when) { expected_.expect(m.to, id, Side::receiver, when); };
  const Time there = least_.across(from, to, m.by_rendezvous ? options_.control_bytes : m.bytes);
  const Time back = m.by_rendezvous ? least_.across(to, from, options_.control_bytes) : 0;
  switch (m.stage()) {
    case MessageStage::sending:
    case MessageStage::eager:
    case MessageStage::request_to_send: return receiver(ready + there);
    case MessageStage::matched:
    case MessageStage::clear_to_send:
      sender(ready + back);
      return receiver(ready + back + least_.across(from, to, m.bytes));
    case MessageStage::preparing:
    case MessageStage::data: {
      const Time data = least_.across(from, to, m.bytes);
      sender(ready + (from == to ? data : least_.to_leave(from, m.bytes)));
      return receiver(ready + data);
    }
    case MessageStage::receiving:  // the receiver's processor is busy
    case MessageStage::datagram: return;
  }
}

void Lookahead::note_delivered(std::uint32_t id, const MessageState& message) {
  if (message.stage() == MessageStage::datagram) return;
  if (message.stage() == MessageStage::clear_to_send) {
    expected_.settle(id, Side::sender);
    return expected_.touch(message.envelope.source);
  }
  expected_.settle(id, Side::receiver);
  expected_.touch(message.to);
  if (message.stage() != MessageStage::data || message.departure.leaving) return;
  expected_.settle(id, Side::sender);
  expected_.touch(message.envelope.source);
}

void Lookahead::note_injected(std::uint32_t id, const MessageState& message) {
  expected_.settle(id, Side::sender);
  expected_.touch(message.envelope.source);
}

void Lookahead::note_step(const MessageState& message) {
  const bool receives =
      message.stage() == MessageStage::matched || message.stage() == MessageStage::receiving;
  expected_.touch(receives ? message.to : message.envelope.source);
}

}  // namespace odonata
