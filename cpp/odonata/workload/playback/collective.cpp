#include "odonata/workload/playback/collective.hpp"

#include <span>

#include "odonata/units/errors.hpp"

namespace odonata::playback {

namespace {

using trace::Sizes;

// Takes a record's words one after the other.
class Words {
 public:
  explicit Words(const trace::Record& record) : rest_(record.words) {}

  std::span<const std::uint64_t> next(std::uint64_t count) {
    if (count > rest_.size()) throw UserError("collective: a call with too few counts");
    const auto taken = rest_.first(count);
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

std::shared_ptr<Counts> neighbourhood(const trace::Record& record, Sizes sizes) {
  auto counts = std::make_shared<Counts>();
  Words words(record);
  counts->sources = words.ranks();
  counts->destinations = words.ranks();
  counts->from = Blocks(words.next(counts->sources.size()));
  if (sizes == Sizes::of_neighbors)
    counts->blocks = Blocks(words.next(counts->destinations.size()));
  else
    counts->blocks =
        Blocks(std::vector<Bytes>(counts->destinations.size(), record.call.collective.bytes));
  return counts;
}

std::shared_ptr<Counts> counts_of(const trace::Record& record, int peers) {
  const auto n = static_cast<std::uint64_t>(peers);
  const Sizes sizes = trace::row_of(record.call.collective.operation).sizes;
  if (sizes == Sizes::alike) return nullptr;
  if (sizes == Sizes::of_sources || sizes == Sizes::of_neighbors)
    return neighbourhood(record, sizes);
  if (sizes == Sizes::of_ranks_at_root && record.words.empty()) return nullptr;  // not the root
  Words words(record);
  auto counts = std::make_shared<Counts>();
  counts->blocks = Blocks(words.next(n));
  if (sizes == Sizes::of_pairs) counts->from = Blocks(words.next(n));
  return counts;
}

}  // namespace

CollectiveCall collective_call(const trace::Record& record, int peers) {
  const trace::CollectiveCall& call = record.call.collective;
  return {call.operation, call.bytes, call.root, counts_of(record, peers)};
}

Task collective(Rank rank, CollectiveCall call, Players& players) {
  const Call made{call.bytes, std::max(0, call.root), call.counts.get()};
  const Algorithm& algorithm = players.algorithm_for(call.kind, rank.size(), made);
  Task run = algorithm.run(std::move(rank), made);
  co_await run;
}

}  // namespace odonata::playback
