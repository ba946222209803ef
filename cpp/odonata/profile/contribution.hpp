// Bytes of a rank's call of a collective.
#pragma once

#include <cstdint>
#include <span>

#include "odonata/trace/call.hpp"

namespace odonata::profile {

struct Contribution {
  std::int64_t size = 0;   // [B] of the block, or of all blocks where they differ by destination
  std::int64_t share = 0;  // [B] that Moved of trace/moved.py multiplies by the operation's factor
};

/// Bytes of a call with these words, of the rank at `position` of a communicator of `ranks`.
[[nodiscard]] Contribution contribution(const trace::CollectiveCall& call,
                                        std::span<const std::uint64_t> words, std::uint32_t ranks,
                                        std::uint32_t position);

}  // namespace odonata::profile
