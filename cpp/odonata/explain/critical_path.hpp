// The critical path of a run: the chain of events from the last rank's end back to time 0.
//
//     rank 3   | work |  . . . . waits . . . .  | work | end
//                                 message  ----->
//     rank 1   | work | work | sends |
//
// Where a rank waited, the path follows the message that ended the wait back to the rank that sent
// it. Where the message found its NIC busy, the path follows the messages before it to the message
// that the NIC took when it was idle: only a quicker sender of that message could have helped.
// Everything on it happened in the run, and its parts add up to the run's time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "odonata/explain/explainer.hpp"

namespace odonata {

/// A part of the path: work of a rank, or a piece of a message's way.
struct Stretch {
  Time begin = 0, end = 0;  // [ps]
  std::int32_t rank = 0;  // that works, or has sent
  std::int32_t to = -1;  // receiver of the message; -1: work
  std::int32_t category = 0;
  std::int32_t link = -1;  // for which it waited; -1: none
  std::int32_t full = -1;  // full link that a lack of credit comes from; -1: not known, or none
  std::uint32_t scope = 0;  // of the rank that works, or waits for the message

  /// Whether the other follows without a change.
  [[nodiscard]] bool alike(const Stretch& other) const {
    return rank == other.rank && to == other.to && category == other.category &&
           link == other.link && full == other.full && scope == other.scope;
  }
};

struct CriticalPath {
  std::vector<Stretch> stretches;  // in the order of time, without a gap
  std::array<Time, num_works> works{};  // [ps] on the path, by kind
  Time gaps = 0;  // [ps] on the path: gaps between messages
};

/// Throws InternalError if the path has a gap, or does not begin at 0.
[[nodiscard]] CriticalPath find_critical_path(const Explainer& explainer);

}  // namespace odonata
