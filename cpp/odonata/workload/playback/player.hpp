// Plays the calls of a real program, live or from a trace, on the simulated network.
//
// Each rank's coroutine takes its next call, does the same on the MPI layer, and answers the calls
// whose outcome depends on simulated time. Compute times, failed tests and a long row of questions
// for the time cost time; all other costs are costs of messages. So a program has the same times as
// the rank program that makes the same calls.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "odonata/mpi/rank.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/trace/watcher.hpp"
#include "odonata/units/errors.hpp"
#include "odonata/workload/selection.hpp"

namespace odonata {

/// Counts and durations of one rank's calls.
struct RankPlay {
  std::vector<std::uint32_t> calls;  // by number of the function, up to the last one called
  std::array<Time, trace::num_ops> time{};  // [ps] in the calls of each kind
  Time compute = 0;  // [ps] between calls
};

/// One entry a rank, complete when the run is over.
struct PlayStatistics {
  std::vector<RankPlay> ranks;
};

struct PlayOptions {
  /// Operation -> algorithm, both as registered; `auto` for operations that are not named.
  std::map<std::string, std::string> collectives;
  Selection selection;
  double compute_scale = 1;  // of the compute times
  Time poll = 100'000;  // [ps] a test or probe that finds nothing; more than 0
  /// Answers say until when nothing can happen to a rank that asks.
  bool lookahead = false;
  std::shared_ptr<PlayStatistics> statistics;  // kept if there is a place for them
  std::shared_ptr<trace::Watcher> watcher;  // is told every call, if there is one
};

/// A rank has called MPI_Abort.
class Aborted : public UserError {
 public:
  Aborted(int aborting_rank, int exit_code);

  int rank;
  int code;
};

/// The rank program that plays these calls; the source has the calls of as many ranks as the job.
/// Throws UserError if an option is wrong.
[[nodiscard]] Program play(std::shared_ptr<trace::Source> source, PlayOptions options);

}  // namespace odonata
