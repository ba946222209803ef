// When something may happen to a rank: lower bounds, from what is prepared and under way, and from
// how soon any other event can reach it.
#include <algorithm>
#include <unordered_map>

#include "odonata/mpi/world.hpp"

namespace odonata {

namespace {

using Side = Lookahead::Side;

Time later_by(Time time, Time more) { return time >= never - more ? never : time + more; }

}  // namespace

void World::foresee() {
  if (foresight_) return;
  foresight_ = std::make_unique<Foresight>(Foresight{network_->least_time(), {}, {}, {}});
  foresight_->lookahead.resize(ranks_.size());
  foresight_->asleep.resize(ranks_.size());
  for (const Job& job : jobs_) {
    const std::vector<Time> times = reaches(job, foresight_->least);
    foresight_->reach.insert(foresight_->reach.end(), times.begin(), times.end());
  }
}

// What is not foreseen yet begins with an overhead of another rank of the job: it sends, or answers
// a request to send. The nearest other rank is on the same node, behind the same router, or
// elsewhere.
std::vector<Time> World::reaches(const Job& job, const LeastTime& least) const {
  const std::vector<std::int32_t>& nodes = job.spec.nodes;
  const auto router = [this](std::int32_t node) {
    return machine_.node_router[static_cast<std::size_t>(node)];
  };
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> by_router;  // two nodes at most
  std::unordered_map<std::int32_t, int> ranks_on;                         // a node
  for (const std::int32_t node : nodes) {
    std::vector<std::int32_t>& known = by_router[router(node)];
    if (++ranks_on[node] == 1 && known.size() < 2) known.push_back(node);
  }
  const Time overhead = std::min(options_.send_overhead, options_.recv_overhead);
  std::vector<Time> out;
  for (const std::int32_t node : nodes) {
    Time soonest = ranks_on[node] > 1 ? least.across(node, node, 0) : never;
    for (const std::int32_t other : by_router[router(node)])
      if (other != node) soonest = std::min(soonest, least.across(other, node, 0));
    for (const auto& [number, known] : by_router) {
      if (number == router(node)) continue;
      soonest = std::min(soonest, least.across(known.front(), node, 0));
      break;
    }
    out.push_back(later_by(soonest, overhead));
  }
  return out;
}

Time World::quiet_until(std::int32_t rank) {
  const auto i = static_cast<std::size_t>(rank);
  if (busy(rank) || foresight_->asleep[i] != 0) return 0;
  const Time unforeseen = later_by(clock_.queue.next_time(), foresight_->reach[i]);
  return std::min(unforeseen, foresight_->lookahead.earliest(rank));
}

Time World::quiet_beyond(std::int32_t rank, Time end) {
  const auto i = static_cast<std::size_t>(rank);
  if (ranks_[i].cpu_free != end || foresight_->asleep[i] != 0) return 0;
  const Time unforeseen = later_by(clock_.now, foresight_->reach[i]);
  const Time quiet = std::min(unforeseen, foresight_->lookahead.earliest(rank));
  return quiet > end ? quiet : 0;
}

// A message whose processor's work is done at `ready`, or that sets out then.
void World::expect(std::uint32_t id, Time ready) {
  const MessageState& m = messages_[id];
  if (m.stage == Stage::datagram) return;
  const std::int32_t from = node_of(m.envelope.source), to = node_of(m.to);
  const LeastTime& least = foresight_->least;
  Lookahead& lookahead = foresight_->lookahead;
  const auto sender = [&](Time when) {
    lookahead.expect(m.envelope.source, id, Side::sender, when);
  };
  const auto receiver = [&](Time when) { lookahead.expect(m.to, id, Side::receiver, when); };
  const Time there = least.across(from, to, m.asks ? options_.control_bytes : m.bytes);
  const Time back = m.asks ? least.across(to, from, options_.control_bytes) : 0;
  switch (m.stage) {
    case Stage::sending:
    case Stage::eager:
    case Stage::asking: return receiver(ready + there);
    case Stage::matched:
    case Stage::answering:
      sender(ready + back);
      return receiver(ready + back + least.across(from, to, m.bytes));
    case Stage::preparing:
    case Stage::data: {
      const Time data = least.across(from, to, m.bytes);
      sender(ready + (from == to ? data : least.to_leave(from, m.bytes)));
      return receiver(ready + data);
    }
    case Stage::receiving:  // the receiver's processor is busy
    case Stage::datagram: return;
  }
}

void World::note_delivered(const MessageState& message, std::uint32_t id) {
  if (message.stage == Stage::datagram) return;
  Lookahead& lookahead = foresight_->lookahead;
  if (message.stage == Stage::answering) {
    lookahead.settle(id, Side::sender);
    return lookahead.touch(message.envelope.source);
  }
  lookahead.settle(id, Side::receiver);
  lookahead.touch(message.to);
  if (message.stage != Stage::data || message.leaving) return;
  lookahead.settle(id, Side::sender);
  lookahead.touch(message.envelope.source);
}

void World::note_step(const MessageState& message) {
  const bool receives = message.stage == Stage::matched || message.stage == Stage::receiving;
  foresight_->lookahead.touch(receives ? message.to : message.envelope.source);
}

}  // namespace odonata
