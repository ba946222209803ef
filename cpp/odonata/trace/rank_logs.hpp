// The logs that the ranks of a real run have written (rank_log.hpp), put together in the order of
// time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "odonata/trace/block.hpp"

namespace odonata::trace {

/// Calls with their times.
struct TimedBlock {
  Block block;
  std::vector<std::int64_t> begins, ends;  // [ns] since the first rank began
};

/// Reads the logs of all ranks at once, block by block, in bounded memory. Files may be cut off,
/// damaged or made to harm: calls are checked, and reading of a log ends at its last whole call.
///
/// Clocks: ranks of one computer have one clock, and their times are compared as they are. Clocks
/// of several computers are taken as the computers tell them (NTP or better).
class RankLogs {
 public:
  /// Throws UserError if a file is no log, or if they are of different runs.
  explicit RankLogs(const std::vector<std::string>& paths);
  ~RankLogs();
  RankLogs(const RankLogs&) = delete;
  RankLogs& operator=(const RankLogs&) = delete;

  /// Ranks of the run; some may have left no log.
  [[nodiscard]] int num_ranks() const { return num_ranks_; }
  /// Whether all of them came to MPI_Finalize and lost nothing.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// Calls that the heads of the logs announce.
  [[nodiscard]] std::uint64_t num_calls() const { return num_calls_; }
  /// Command line of the first rank that left a log.
  [[nodiscard]] const std::string& program() const { return program_; }
  /// Computers that ranks ran on.
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }

  [[nodiscard]] std::optional<TimedBlock> next();

 private:
  class Log;

  void align_clocks();

  std::vector<std::unique_ptr<Log>> logs_;
  std::vector<Log*> order_;  // a heap: the log whose next call began first is at the front
  std::vector<std::string> hosts_;
  std::string program_;
  int num_ranks_ = 0;
  bool complete_ = false;
  std::uint64_t lost_ = 0, num_calls_ = 0;
};

}  // namespace odonata::trace
