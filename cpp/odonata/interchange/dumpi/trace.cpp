#include "odonata/interchange/dumpi/trace.hpp"

#include <utility>

namespace odonata::interchange::dumpi {

namespace {

class Calls final : public trace::Source {
 public:
  explicit Calls(std::vector<Rank> ranks) : ranks_(std::move(ranks)) {}

  bool next(int rank, trace::Record& record) override { return ranks_.at(rank).next(record); }
  void answer(int, const trace::Answer&) override {}

 private:
  std::vector<Rank> ranks_;
};

}  // namespace

Trace::Trace(std::vector<File> files, std::vector<RankContext> contexts)
    : files_(std::move(files)), contexts_(std::move(contexts)) {
  if (files_.size() != contexts_.size())
    throw InternalError("dumpi: not as many files as contexts");
}

void Trace::learn() {
  learnt_.clear();
  trace::Record record;
  for (std::size_t rank = 0; rank < files_.size(); ++rank) {
    Rank calls(files_[rank], contexts_[rank]);
    while (calls.next(record)) {
    }
    learnt_.push_back({std::make_shared<const std::vector<Found>>(calls.learnt()),
                       calls.anomalies(), calls.counts(), calls.unknown_communicators()});
  }
}

std::shared_ptr<trace::Source> Trace::source() const {
  std::vector<Rank> ranks;
  ranks.reserve(files_.size());
  for (std::size_t rank = 0; rank < files_.size(); ++rank)
    ranks.emplace_back(files_[rank], contexts_[rank],
                       rank < learnt_.size() ? learnt_[rank].found : nullptr);
  return std::make_shared<Calls>(std::move(ranks));
}

}  // namespace odonata::interchange::dumpi
