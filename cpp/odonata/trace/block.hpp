// A stretch of a trace, as columns, for recorders and trace files.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/trace/call.hpp"

namespace odonata::trace {

/// Source of the message of a receive from any source, known only after other calls.
struct Match {
  std::int32_t rank = 0;
  std::int32_t source = nobody;  // rank in the world; nobody: it was cancelled
  std::int64_t call = 0;         // number of the receive among the calls of its rank
};
static_assert(sizeof(Match) == 16);
static_assert(sizeof(Outcome) == 32);

/// Result of a call; unknown if it did not ask, or if the run ended before the answer.
enum class Found : std::uint8_t { unknown, flag_off, flag_on };

/// Calls of many ranks, each rank's in order.
struct Block {
  std::vector<std::int32_t> ranks;           // [n]
  std::vector<Call> calls;                   // [n]
  std::vector<std::uint64_t> words;          // [sum of num_words]
  std::vector<Found> found;                  // [n]
  std::vector<std::uint32_t> num_outcomes;   // [n]
  std::vector<Outcome> outcomes;             // [sum of num_outcomes]
  std::vector<Match> matches;                // in the order in which they became known

  [[nodiscard]] std::size_t size() const { return calls.size(); }
};

}  // namespace odonata::trace
