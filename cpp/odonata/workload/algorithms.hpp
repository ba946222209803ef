// The registry of algorithms: one row each (algorithms.inc).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "odonata/trace/collectives.hpp"
#include "odonata/workload/collective.hpp"
#include "odonata/workload/sent.hpp"

namespace odonata {

/// One algorithm of one operation, named as on the command line: allgather/ring.
struct Algorithm {
  std::string operation;
  std::string name;
  std::string summary;  // one sentence: how, with how many messages, from where
  std::function<Task(Rank, Call)> run;
  /// Traffic of a number of ranks in a call with equal blocks: see sent.hpp.
  std::function<Sent(int ranks, Bytes block, int root)> sent{};
  /// The same algorithm with another value of its parameter; empty if it takes none.
  std::function<Algorithm(const std::string& value)> with{};
};

/// All algorithms, by operation and name.
[[nodiscard]] const std::vector<Algorithm>& algorithms();

/// Point-to-point patterns, as the Intel MPI Benchmarks have them, under the same kind of name:
/// pingpong/pairs. They leave no result that could be right or wrong, so they are not among the
/// algorithms.
[[nodiscard]] const std::vector<Algorithm>& point_to_point_patterns();

/// The algorithm or pattern of that name, or algorithm:value with a value of its parameter, as in
/// k_bruck:4 or ring_segmented:64KiB; throws UserError with the known algorithms. It lives as long
/// as the process.
[[nodiscard]] const Algorithm& algorithm(const std::string& operation, const std::string& name);

/// The collective operation of that name; throws UserError with the known ones.
[[nodiscard]] trace::Collective collective_of(const std::string& operation);

// The coroutines: odonata::allgather::ring and all others.
#define ODONATA_ALGORITHM(operation, name, sent, summary)                                          \
  namespace operation {                                                                            \
  Task name(Rank rank, Call call);                                                                 \
  }
#define ODONATA_TUNED_ALGORITHM(operation, name, parameter, sent, summary)                         \
  ODONATA_ALGORITHM(operation, name, sent, summary)
#define ODONATA_SHARED_ALGORITHM(operation, folder, name, sent, summary)
#define ODONATA_PATTERN(operation, name, sent, summary)                                            \
  namespace point_to_point {                                                                       \
  Task operation(Rank rank, Call call);                                                            \
  }
#include "odonata/workload/algorithms.inc"
#undef ODONATA_ALGORITHM
#undef ODONATA_TUNED_ALGORITHM
#undef ODONATA_SHARED_ALGORITHM
#undef ODONATA_PATTERN

}  // namespace odonata
