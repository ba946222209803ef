// Operations on the shared memory that ranks and the simulator have in common.
#pragma once

#include "odonata/live/layout.hpp"

namespace odonata::live {

[[nodiscard]] inline std::byte* start_of(Header& header) {
  return reinterpret_cast<std::byte*>(&header);
}

[[nodiscard]] inline RankArea& rank_area(Header& header, std::uint32_t rank) {
  return reinterpret_cast<RankArea*>(start_of(header) + header.areas)[rank];
}

/// Puts a block that others may be putting blocks on top of, too, on a stack; `next` is its link.
inline void push(std::atomic<Offset>& stack, Offset& next, Offset place) {
  Offset first = stack.load();
  do next = first;
  while (!stack.compare_exchange_weak(first, place));
}

/// Takes a rank out of its sleep, if it sleeps: then the caller has to let it run.
[[nodiscard]] inline bool rouse(Header& header, RankArea& area) {
  if (area.sleeping.load() == 0 || area.sleeping.exchange(0) == 0) return false;
  header.awake.fetch_add(1);
  area.bell.fetch_add(1);
  return true;
}

}  // namespace odonata::live
