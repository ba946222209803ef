// Ways of messages, for who explains where the time of a wait went.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "odonata/engine/way.hpp"

namespace odonata {

/// An observer of a network that keeps ways. It is asked while the network tells its receiver that
/// a message has reached its node, or left the node that it comes from.
class WaySource {
 public:
  virtual ~WaySource() = default;
  /// The way of the message so far.
  [[nodiscard]] virtual std::span<const Piece> tell(std::uint32_t message, Reached reached) = 0;
  /// Gaps between messages since the NIC of a message was idle, up to its first packet [ps]; none
  /// if it waited for credit, for the window or for congestion control, too.
  [[nodiscard]] virtual std::optional<Time> gaps_before(std::uint32_t message) const = 0;
};

}  // namespace odonata
