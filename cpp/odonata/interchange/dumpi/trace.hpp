// A DUMPI trace of all ranks as a source of calls.
#pragma once

#include <memory>
#include <vector>

#include "odonata/interchange/dumpi/rank.hpp"

namespace odonata::interchange::dumpi {

/// The files of a trace, one for each rank.
class Trace {
 public:
  using File = std::span<const std::uint8_t>;

  /// The files must outlive the trace and its sources.
  Trace(std::vector<File> files, std::vector<RankContext> contexts);

  /// Reads all calls once: sources know the messages of receives from anything from then on.
  void learn();
  /// The calls from the beginning.
  [[nodiscard]] std::shared_ptr<trace::Source> source() const;

  /// Anomalies of a rank's calls, after `learn`.
  [[nodiscard]] const Anomalies& anomalies(int rank) const { return learnt_.at(rank).anomalies; }
  /// Calls of a rank by number of the function, after `learn`.
  [[nodiscard]] const std::vector<std::int64_t>& counts(int rank) const {
    return learnt_.at(rank).counts;
  }
  /// Communicators of a rank whose members aren't known, after `learn`.
  [[nodiscard]] std::vector<std::int64_t> unknown_communicators(int rank) const {
    const std::set<std::int64_t>& all = learnt_.at(rank).unknown_communicators;
    return {all.begin(), all.end()};
  }

 private:
  struct Learnt {
    std::shared_ptr<const std::vector<Found>> found;
    Anomalies anomalies;
    std::vector<std::int64_t> counts;
    std::set<std::int64_t> unknown_communicators;
  };

  std::vector<File> files_;
  std::vector<RankContext> contexts_;
  std::vector<Learnt> learnt_;
};

}  // namespace odonata::interchange::dumpi
