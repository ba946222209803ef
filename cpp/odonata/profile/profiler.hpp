// Profiles of the ranks of a run whose calls are records: simulated, or read from a trace.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "odonata/profile/tally.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/trace/watcher.hpp"

namespace odonata::profile {

/// Counts the calls of all ranks. Times are picoseconds.
class Profiler final : public trace::Watcher {
 public:
  explicit Profiler(int ranks);
  ~Profiler() override;
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// A call that began and ended at these times [ps].
  void called(int rank, const trace::Call& call, std::span<const std::uint64_t> words,
              trace::Found found, Time begin, Time end) override;
  /// The first call of a rank begins [ps].
  void start(int rank, Time begin);
  /// The run is over, and each rank has come this far.
  void finish();

  [[nodiscard]] int num_ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] const Head& head(int rank) const;
  /// The cells of a rank that have a key, in the order of keys.
  [[nodiscard]] std::vector<Cell> cells(int rank) const;

 private:
  class RankProfile;

  void count_messages(RankProfile& profile, const trace::Call& call) const;
  void count_collective(RankProfile& profile, const trace::Call& call,
                        std::span<const std::uint64_t> words) const;

  std::vector<std::unique_ptr<RankProfile>> ranks_;
  std::vector<bool> makes_communicators_;  // [function]
};

}  // namespace odonata::profile
