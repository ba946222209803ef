// Waits of packets in the queues of links.
#pragma once

#include <algorithm>

#include "odonata/units/units.hpp"

namespace odonata {

/// A packet has joined the queue of a link.
struct Joined {
  Time time;  // [ps]
  Time stalled;  // [ps] for which the link had been without credit then, in all
};

/// How long a packet waited in the queue of a link, and for how much of that without credit. Its
/// tail is later by what its head has waited, unless the tail itself came later than that.
struct Waited {
  Time queue = 0, credit = 0;  // [ps]

  Waited() = default;
  Waited(Time queue, Time credit) : queue(queue), credit(credit) {}
  Waited(const Joined& joined, Time now, Time stalled, Time late)
      : queue(std::min(now - joined.time, late)),
        credit(std::min(stalled - joined.stalled, queue)) {
    queue -= credit;
  }
};

}  // namespace odonata
