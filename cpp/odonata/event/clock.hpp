// The clock of one simulation: the present and the queue of future events.
#pragma once

#include <vector>

#include "odonata/event/prefetcher.hpp"
#include "odonata/event/queue.hpp"

namespace odonata {

struct Clock {
  Time now = 0;  // [ps]
  EventQueue queue;
  std::int64_t num_passed = 0;  // events that were passed over, since nothing happens at them
  std::vector<const Prefetcher*> prefetchers;  // told of upcoming events, in this order

  /// The next events are sorted, so the memory that they touch can be fetched.
  void prefetch() const {
    const Event* next = queue.upcoming();
    if (next == nullptr) return;
    for (const Prefetcher* each : prefetchers) each->prefetch(next);
  }
  void at(Time time, Kind kind, std::uint64_t entity) { queue.push(time, key_of(kind, entity)); }
};

}  // namespace odonata
