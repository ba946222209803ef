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
    : machine_(machine), options_(options), ranks_(ranks), least_(least) {
  for (const Job& job : jobs) {
    const auto size = static_cast<std::int32_t>(job.spec.nodes.size());
    const std::vector<Time> times = reaches(job.first_rank, size);
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
    default: return;
  }
}

// The parts of a message go from each port to the same port of the other node.
Time Lookahead::across(std::int32_t from, std::int32_t to, Bytes bytes) const {
  const Ports& ports = machine_.ports;
  if (!ports.cuts(bytes) || node_of(from) == node_of(to))
    return least_.across(port_of(from), port_of(to), bytes);
  Time least = never;
  for (int i = 0; i < ports.per_node; ++i)
    least = std::min(least, least_.across(machine_.port(node_of(from), i),
                                          machine_.port(node_of(to), i), bytes / ports.per_node));
  return least;
}

Time Lookahead::to_leave(std::int32_t from, Bytes bytes) const {
  const Ports& ports = machine_.ports;
  return least_.to_leave(port_of(from), ports.cuts(bytes) ? bytes / ports.per_node : bytes);
}

// The list may have ranks of its own node; `never`: it has no others.
Time Lookahead::from_nearest(std::span<const std::int32_t> others, std::int32_t rank) const {
  Time soonest = never;
  for (const std::int32_t other : others)
    if (node_of(other) != node_of(rank)) soonest = std::min(soonest, across(other, rank, 0));
  return soonest;
}

// An event that is not foreseen begins with an overhead of another rank of the job, which sends or
// answers a request to send. The nearest other rank is on the same node, behind the same router, or
// elsewhere.
std::vector<Time> Lookahead::reaches(std::int32_t first_rank, std::int32_t ranks) const {
  const auto router = [this](std::int32_t rank) { return machine_.port_router[port_of(rank)]; };
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> by_router;  // ranks of two nodes
  std::unordered_map<std::int32_t, int> ranks_on;                         // a node
  for (std::int32_t rank = first_rank; rank < first_rank + ranks; ++rank) {
    std::vector<std::int32_t>& known = by_router[router(rank)];
    ++ranks_on[node_of(rank)];
    const bool is_other = known.empty() || node_of(known.front()) != node_of(rank);
    if (is_other && known.size() < 2) known.push_back(rank);
  }
  const auto overhead = [this](bool inside_node) {
    return std::min(options_.overhead_of_send(inside_node),
                    options_.overhead_of_receive(inside_node));
  };
  std::vector<Time> out;
  for (std::int32_t rank = first_rank; rank < first_rank + ranks; ++rank) {
    const Time inside =
        ranks_on[node_of(rank)] > 1 ? later_by(across(rank, rank, 0), overhead(true)) : never;
    Time soonest = from_nearest(by_router[router(rank)], rank);
    for (auto at = by_router.begin(); at != by_router.end() && soonest == never; ++at)
      soonest = from_nearest(at->second, rank);  // all other routers are equally far
    out.push_back(std::min(inside, later_by(soonest, overhead(false))));
  }
  return out;
}

Time Lookahead::earliest(std::int32_t rank, Time unforeseen) {
  const Time reached = later_by(unforeseen, reach_[rank]);
  return std::min(reached, expected_.earliest(rank));
}

void Lookahead::expect(std::uint32_t id, const MessageState& m, Time ready) {
  if (m.stage() >= MessageStage::datagram) return;
  const std::int32_t from = m.envelope.source, to = m.to;
  const auto sender = [&](Time when) {
    expected_.expect(m.envelope.source, id, Side::sender, when);
  };
  const auto receiver = [&](Time when) { expected_.expect(m.to, id, Side::receiver, when); };
  const Time there = across(from, to, m.by_rendezvous ? options_.control_bytes : m.bytes);
  const Time back = m.by_rendezvous ? across(to, from, options_.control_bytes) : 0;
  switch (m.stage()) {
    case MessageStage::sending:
    case MessageStage::eager:
    case MessageStage::request_to_send: return receiver(ready + there);
    case MessageStage::matched:
    case MessageStage::clear_to_send:
      sender(ready + back);
      return receiver(ready + back + across(from, to, m.bytes));
    case MessageStage::preparing:
    case MessageStage::data: {
      const Time data = across(from, to, m.bytes);
      sender(ready + (node_of(from) == node_of(to) ? data : to_leave(from, m.bytes)));
      return receiver(ready + data);
    }
    default: return;  // the receiver's processor is busy
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
