// Messages of ports whose destinations take turns: the order of messages to one destination.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "odonata/engine/network.hpp"

namespace odonata {

/// The messages that wait at each port behind another one to the same destination.
class Turns {
 public:
  static constexpr std::int32_t none = -1;

  /// Adds the last message of a port to its destination. Returns whether it is the first, and so
  /// takes part in the turns.
  bool join(std::int32_t message, const Transfer& transfer);
  /// Takes out the first message of a port to its destination. Returns the message behind it.
  std::int32_t leave(std::int32_t message, const Transfer& transfer);

 private:
  std::unordered_map<std::uint64_t, std::int32_t> last_;  // message, by port and destination
  std::vector<std::int32_t> behind_;  // by message slot
};

}  // namespace odonata
