#pragma once

#include <cstdint>
#include <vector>

#include "odonata/machine/machine.hpp"
#include "odonata/units/units.hpp"

namespace odonata {

/// The memory of all nodes, which messages between ranks of a node pass: a rank's messages are
/// copied one after the other, because its core copies them, and a node's memory takes all of its
/// messages in the order of their sends. Without a bandwidth of the memory nothing waits.
class NodeMemory {
 public:
  /// A message to a rank of a node.
  struct Message {
    std::int32_t node;
    std::int32_t to;  // number of the rank in the world
    Bytes bytes;      // [B]
  };

  explicit NodeMemory(const Machine& machine);

  /// When a message has passed that is sent now [ps].
  Time pass(const Message& message, Time now);

 private:
  const Machine& machine_;
  std::vector<Time> copied_;  // [ps] by rank, as far as needed: end of the last copy to it
  std::vector<Time> taken_;   // [ps] by node: when its memory has taken the last message
};

}  // namespace odonata
