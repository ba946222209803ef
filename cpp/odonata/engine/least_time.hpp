// Least times of messages, whatever else is in the network.
#pragma once

#include "odonata/machine/machine.hpp"

namespace odonata {

/// Time of a message on a link that cuts it into packets [ps]; more than `latest` if no run is long
/// enough for it.
[[nodiscard]] Time time_of_packets(Rate rate, Bytes bytes, Bytes packet_bytes, Bytes header_bytes);

/// Lower bounds that hold for every engine: an empty network, and at most one link between two
/// routers.
class LeastTime {
 public:
  LeastTime(const Machine& machine, Bytes packet_bytes, Bytes header_bytes);

  /// From the hand-over to the port until the whole message is at the other one [ps]; between two
  /// ports of one node, the time of a copy.
  [[nodiscard]] Time across(std::int32_t from_port, std::int32_t to_port, Bytes bytes) const;
  /// From the hand-over until the last byte has left its node [ps].
  [[nodiscard]] Time to_leave(std::int32_t from_port, Bytes bytes) const;

 private:
  const Machine* machine_;
  Bytes packet_bytes_, header_bytes_;
  Time hop_;  // [ps] of the shortest link between two routers, with the router behind it
};

}  // namespace odonata
