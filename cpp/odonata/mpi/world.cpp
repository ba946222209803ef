#include "odonata/mpi/world.hpp"

#include <algorithm>
#include <unordered_map>

#include "odonata/mpi/rank.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

World::World(const Machine& machine, const MpiOptions& options, Clock& clock, std::uint64_t seed)
    : machine_(machine),
      options_(options),
      clock_(clock),
      seed_(seed),
      ranks_(clock),
      coroutines_(ranks_, requests_, clock),
      requests_(coroutines_),
      transport_(machine_, options_, clock, ranks_, requests_, coroutines_, jobs_) {}

void World::connect(Network& network) {
  transport_.connect(network);
  prefetcher_ =
      std::make_unique<RankPrefetcher>(ranks_, requests_, coroutines_, transport_, network);
  clock_.prefetchers.push_back(prefetcher_.get());
}

// The port of each rank of a job.
std::vector<std::int32_t> World::ports_of(const std::vector<std::int32_t>& nodes) const {
  std::unordered_map<std::int32_t, int> ranks, before;  // on a node
  for (const std::int32_t node : nodes) ++ranks[node];
  std::vector<std::int32_t> ports;
  for (const std::int32_t node : nodes)
    ports.push_back(machine_.port(
        node, machine_.ports.of_rank(before[node]++, ranks[node], machine_.ports_of(node))));
  return ports;
}

int World::add(JobSpec job) {
  const auto number = static_cast<std::int32_t>(jobs_.size());
  const auto first = ranks_.size();
  const std::vector<std::int32_t> ports = ports_of(job.nodes);
  for (std::size_t i = 0; i < job.nodes.size(); ++i)
    ranks_.add({number, static_cast<std::int32_t>(i), job.nodes[i], ports[i]});
  if (MpiObserver* observer = ranks_.observer())
    observer->add(number, job.nodes.size(), job.background);
  if (!job.background) running_ += static_cast<std::int64_t>(job.nodes.size());
  jobs_.push_back({std::move(job), first, {}});
  return number;
}

void World::start() {
  ranks_.identify();
  for (Job& job : jobs_) {
    const auto size = static_cast<std::int32_t>(job.spec.nodes.size());
    for (std::int32_t i = 0; i < size; ++i) {
      const std::int32_t rank = job.first_rank + i;
      ranks_[rank].program =
          oversee(rank, job.spec.program(Rank(*this, rank, {job.first_rank, size, rank})));
      clock_.at(0, Kind::resume, coroutines_.entity_of(rank));
    }
  }
}

void World::process(const Event& event) {
  const std::uint32_t slot = slot_of(event.key);
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]] {
    observer->happen();
    if (kind_of(event.key) == Kind::step) transport_.note_step(slot);
  }
  switch (kind_of(event.key)) {
    case Kind::local: return transport_.delivered(slot, Delivery{});
    case Kind::step: return transport_.step(slot);
    case Kind::resume: return coroutines_.resume(event.key);
    default: throw InternalError("mpi: an event of a kind that is not its own");
  }
}

// Runs a rank's program and notes its end.
Task World::oversee(std::int32_t rank, Task program) {
  try {
    co_await program;
  } catch (...) {
    coroutines_.fail(std::current_exception());
  }
  ranks_[rank].finished = ranks_.now(rank);
  if (MpiObserver* observer = ranks_.observer()) observer->finish(rank, ranks_[rank].finished);
  if (!job_of(rank).spec.background && --running_ == 0) end_background();
}

// Its traffic stops where it is.
void World::end_background() {
  for (Job& job : jobs_)
    if (job.spec.background) job.statistics.first_done = clock_.now;
}

void World::enter(std::int32_t rank, std::string_view call, bool collective, int communicator) {
  ranks_[rank].call = call;
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->enter(rank, call, collective, communicator);
}

void World::leave(std::int32_t rank) {
  ranks_[rank].call = {};
  if (MpiObserver* observer = ranks_.observer()) [[unlikely]]
    observer->leave(rank);
}

void World::mark_phase(std::int32_t rank, const std::string& name) {
  JobStatistics& s = job_of(rank).statistics;
  auto found = std::find(s.phases.begin(), s.phases.end(), name);
  if (found == s.phases.end()) found = s.phases.insert(found, name);
  s.marks.push_back({ranks_.home(rank).index, static_cast<std::int32_t>(found - s.phases.begin()),
                     ranks_.now(rank)});
  if (MpiObserver* observer = ranks_.observer()) observer->begin_phase(rank, s.marks.back().phase);
}

std::vector<Time> World::finish_times(int job) const {
  const Job& j = at(job);
  std::vector<Time> out;
  for (std::size_t i = 0; i < j.spec.nodes.size(); ++i)
    out.push_back(ranks_[j.first_rank + static_cast<std::int32_t>(i)].finished);
  return out;
}

}  // namespace odonata
