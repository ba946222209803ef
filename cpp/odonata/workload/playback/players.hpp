// Common state of the players of one job's ranks.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/playback/player.hpp"

namespace odonata::playback {

/// World numbers of a communicator's ranks, in order; null for all ranks of the job.
using Members = std::shared_ptr<const std::vector<std::int32_t>>;

class RankPlayer;

class Players {
 public:
  Players(std::shared_ptr<trace::Source> source, PlayOptions options);

  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;
  ~Players() {
    source_->on_wait({});
    source_->on_stall({});
  }

  [[nodiscard]] trace::Source& source() const { return *source_; }
  [[nodiscard]] const PlayOptions& options() const { return options_; }

  /// The algorithm of a collective on so many ranks.
  [[nodiscard]] const Algorithm& algorithm_for(trace::Collective kind, int ranks, const Call& call);
  /// A small number for the identity of a communicator.
  [[nodiscard]] std::int32_t number_of(std::uint64_t identity);
  /// One list for all that have the same members.
  [[nodiscard]] Members share(std::vector<std::int32_t> members);

  /// Notes that a rank pays for a test or probe that found nothing, or no longer does.
  void add_poller(RankPlayer& rank) { pollers_.push_back(&rank); }
  void remove_poller(const RankPlayer& rank);

  /// Notes the simulated time at which a rank asks for its next call.
  void reach(Time now) { reached_ = now; }
  /// Simulated time of computing that takes the program so much processor time [ns].
  [[nodiscard]] Time computing(std::int64_t nanoseconds) const;

 private:
  static constexpr std::size_t num_kinds = trace::num_collectives;

  // The last choice: ranks make the same call one after the other.
  struct Choice {
    int ranks = 0;
    Bytes bytes = 0;
    const Algorithm* algorithm = nullptr;
  };

  void answer_polls_early();

  std::shared_ptr<trace::Source> source_;
  PlayOptions options_;
  Time reached_ = 0;
  std::vector<RankPlayer*> pollers_;  // that have not been told yet
  std::array<const Algorithm*, num_kinds> chosen_{};  // null: auto
  std::array<Choice, num_kinds> recent_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;     // by identity
  std::unordered_multimap<std::uint64_t, Members> members_;     // by hash
};

}  // namespace odonata::playback
