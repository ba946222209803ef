// A collective that a rank calls, or that a persistent request starts.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/trace/call.hpp"

namespace odonata::libprofile {

/// Sizes of the blocks that a call names one by one, as the trace has them.
using Words = std::vector<std::uint64_t>;

struct Collected {
  trace::CollectiveCall call;
  Words words;
  std::uint32_t ranks = 1;
  bool root = false;
  std::int64_t size = 0, share = 0;  // [B] as in profile::Contribution
};

}  // namespace odonata::libprofile
