// Synthetic traffic: every rank sends packets to ranks that a pattern names, at a given load.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "odonata/mpi/rank.hpp"

namespace odonata {

/// Destination of the i-th message of a rank; immutable, shared by all ranks of a job.
class TrafficPattern {
 public:
  virtual ~TrafficPattern() = default;
  /// Target of message `i` of rank `from`; -1: it sends nothing.
  [[nodiscard]] virtual int target(int from, const Draws& draws, std::uint64_t i) const = 0;
};

struct PatternOptions {
  std::string name = "uniform";     // uniform, adversarial, permutation, hotspot, pairs
  int shift = 1;                    // adversarial: groups onward
  double hot_fraction = 0.1;        // hotspot: share of the messages that go to a hot rank
  std::vector<int> targets;  // pairs: target of each rank, -1 none; hotspot: the hot ranks
};

/// The pattern of that name among ranks on these nodes; throws UserError.
[[nodiscard]] std::shared_ptr<const TrafficPattern>
make_pattern(const PatternOptions& options, const Machine& machine,
             const std::vector<std::int32_t>& nodes, std::uint64_t seed);

struct Traffic {
  std::shared_ptr<const TrafficPattern> pattern;
  double load = 0.5;  // of the injection link, in (0, 1]
  Bytes bytes = 1024;  // [B] a message
  std::int64_t messages_per_rank = 0;  // 0: until all other jobs have ended
  bool periodic = false;  // equal gaps instead of exponential ones (Poisson)
};

/// The rank program of such traffic.
[[nodiscard]] Task traffic(Rank rank, Traffic what);

}  // namespace odonata
