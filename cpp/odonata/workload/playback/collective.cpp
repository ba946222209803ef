#include "odonata/workload/playback/collective.hpp"

#include <span>

#include "odonata/units/errors.hpp"

namespace odonata::playback {

namespace {

using trace::Collective;

// Takes a record's words one after the other.
class Words {
 public:
  explicit Words(const trace::Record& record) : rest_(record.words) {}

  std::span<const std::uint64_t> next(std::uint64_t count) {
    if (count > rest_.size()) throw UserError("collective: a call with too few counts");
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  std::vector<int> ranks() {
    const auto taken = next(next(1).front());
    return {taken.begin(), taken.end()};
  }

 private:
  std::span<const std::uint64_t> rest_;
};

std::shared_ptr<Counts> neighbourhood(const trace::Record& record) {
  auto counts = std::make_shared<Counts>();
  Words words(record);
  counts->sources = words.ranks();
  counts->destinations = words.ranks();
  counts->from = Blocks(words.next(counts->sources.size()));
  if (record.call.collective == Collective::neighbor_alltoall)
    counts->blocks = Blocks(words.next(counts->destinations.size()));
  else
    counts->blocks = Blocks(std::vector<Bytes>(counts->destinations.size(), record.call.bytes));
  return counts;
}

std::shared_ptr<Counts> counts_of(const trace::Record& record, int peers) {
  const auto n = static_cast<std::uint64_t>(peers);
  Words words(record);
  auto counts = std::make_shared<Counts>();
  switch (record.call.collective) {
    case Collective::gatherv:
    case Collective::scatterv:
      if (record.words.empty()) return nullptr;  // not the root
      [[fallthrough]];
    case Collective::allgatherv:
    case Collective::reduce_scatter: counts->blocks = Blocks(words.next(n)); return counts;
    case Collective::alltoallv:
      counts->blocks = Blocks(words.next(n));
      counts->from = Blocks(words.next(n));
      return counts;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: return neighbourhood(record);
    default: return nullptr;
  }
}

}  // namespace

CollectiveCall collective_call(const trace::Record& record, int peers) {
  return {record.call.collective, record.call.bytes, record.call.peer, counts_of(record, peers)};
}

Task collective(Rank rank, CollectiveCall call, Job& job) {
  const Call made{call.bytes, std::max(0, call.root), call.counts.get()};
  const Algorithm& algorithm = job.algorithm_for(call.kind, rank.size(), made);
  Task run = algorithm.run(std::move(rank), made);
  co_await run;
}

}  // namespace odonata::playback
