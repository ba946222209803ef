// Waits of packets in the queues of links.
#pragma once

#include <algorithm>

#include "odonata/units/units.hpp"

namespace odonata {

/// A packet has been in the queue of a link.
struct Queued {
  Time time;  // [ps]
  Time stalled;  // [ps] of it the link was without credit
};

/// A packet has joined the queue of a link.
struct Joined {
  Time time;  // [ps]
  Time stalled;  // [ps] for which the link had been without credit then, in all

  /// It leaves the queue now, when that is `all_stalled`.
  [[nodiscard]] Queued until(Time now, Time all_stalled) const {
    return {now - time, all_stalled - stalled};
  }
};

/// How long a packet waited in the queue of a link, and for how much of that without credit. Its
/// tail is later by the time that its head has waited, unless the tail itself came later than that.
struct Waited {
  Time queue, credit;  // [ps]

  Waited(const Queued& queued, Time late)
      : queue(std::min(queued.time, late)), credit(std::min(queued.stalled, queue)) {
    queue -= credit;
  }
};

}  // namespace odonata
