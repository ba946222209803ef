// The check of calls that come from a file: they may be damaged, or made to harm.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "odonata/trace/call.hpp"

namespace odonata::trace {

/// Checks the calls of one rank, one after the other: communicators, ranks and requests exist, the
/// number of words is right, and times and sizes can be added up.
class CallChecker {
 public:
  CallChecker(int rank, int num_ranks);

  /// Throws UserError.
  void check(const Record& record);

  [[nodiscard]] std::int64_t num_calls() const { return num_calls_; }

 private:
  struct Members {
    std::uint32_t local = 0;   // 0: no such communicator
    std::uint32_t remote = 0;  // of an intercommunicator
  };

  void add_communicator(const Record& record);
  void check_numbers(const Call& call) const;
  void check_requests(const Record& record) const;
  void check_peers(const Call& call) const;
  void check_counts(const Record& record) const;
  void check_neighbors(const Record& record) const;
  [[nodiscard]] Members members_of(const Call& call) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::int32_t rank_, num_ranks_;
  std::int64_t num_calls_ = 0;
  std::int64_t computed_ = 0;  // [ns]
  std::vector<Members> communicators_;
};

}  // namespace odonata::trace
