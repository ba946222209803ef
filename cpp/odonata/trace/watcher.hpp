// Calls with their times, for whoever counts them while they are played.
#pragma once

#include <span>

#include "odonata/trace/block.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/units/units.hpp"

namespace odonata::trace {

/// Is told each call of each rank when it is over.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// A call of a rank, whether its test or probe has found something, and its times [ps].
  virtual void called(int rank, const Call& call, std::span<const std::uint64_t> words, Found found,
                      Time begin, Time end) = 0;
};

}  // namespace odonata::trace
