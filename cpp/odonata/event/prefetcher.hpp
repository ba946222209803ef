// Fetching of memory that coming events touch.
#pragma once

#include "odonata/event/queue.hpp"

namespace odonata {

/// A keeper of state that events touch. How far ahead it fetches is its own business, and nothing
/// may depend on whether it is called.
class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  /// The next EventQueue::num_upcoming events, in order.
  virtual void prefetch(const Event* next) const = 0;
};

}  // namespace odonata
