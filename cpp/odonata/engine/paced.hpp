// The end of a message, from which its pace is told.
#pragma once

#include <cstdint>

#include "odonata/units/units.hpp"

namespace odonata {

/// A message whose pace is asked for.
struct Paced {
  std::uint64_t last;  // passage at the end
  std::uint64_t latest;  // of all passages then: it depends on no later one
  Time since;  // [ps] from which on
  Time begin;  // [ps] the start of its first packet
  bool several;  // packets
  bool busy;  // was its NIC, from `since` to `begin` without a break
  bool delivered;  // or out of its node
};

}  // namespace odonata
