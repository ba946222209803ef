// The clock of one simulation: the present and the queue of what is to come.
#pragma once

#include "odonata/event/queue.hpp"

namespace odonata {

struct Clock {
  Time now = 0;  // [ps]
  EventQueue queue;

  void at(Time time, Kind kind, std::uint64_t entity) { queue.push(time, key_of(kind, entity)); }
};

}  // namespace odonata
