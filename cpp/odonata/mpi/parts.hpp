// Messages that are cut into parts, one for each port of their nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/engine/network.hpp"

namespace odonata {

/// The parts of messages on their way. A part has a slot of its own, as a message has.
class Parts {
 public:
  explicit Parts(const Ports& ports) : ports_(ports) {}

  /// Size of the part at a port of the node [B]: equal ones, and a byte more for the first ones.
  [[nodiscard]] Bytes size(Bytes bytes, int port) const {
    return bytes / ports_.per_node + (port < bytes % ports_.per_node ? 1 : 0);
  }

  /// All parts of a message are about to leave.
  void begin(std::uint32_t message);
  void add(std::uint32_t part, std::uint32_t message, int port);
  [[nodiscard]] std::uint32_t message_of(std::uint32_t part) const { return parts_[part].message; }
  /// Which port of its node it takes.
  [[nodiscard]] int port_of(std::uint32_t part) const { return parts_[part].port; }
  /// A part has arrived: what has arrived so far, if it is the last one.
  [[nodiscard]] const Delivery* arrive(std::uint32_t part, const Delivery& delivery);
  /// A part has left its node. Is it the last one?
  [[nodiscard]] bool leave(std::uint32_t part);

 private:
  struct Whole {
    int to_leave = 0, to_arrive = 0;  // parts
    Delivery delivery;
  };

  struct Part {
    std::uint32_t message = 0;
    int port = 0;
  };

  const Ports& ports_;
  std::vector<Part> parts_;    // by slot of the part
  std::vector<Whole> wholes_;  // by slot of the message
};

}  // namespace odonata
