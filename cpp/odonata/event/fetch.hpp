// Asking for a cache line before it is needed.
#pragma once

namespace odonata {

/// Begins to fetch the line of an address, to be written. The empty instruction is there for the
/// compiler, which takes a function that only fetches for one without effect, and drops its calls.
inline void fetch(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

}  // namespace odonata
