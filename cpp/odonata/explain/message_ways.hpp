// Ways of whole messages, in an engine without packets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "odonata/engine/analytic.hpp"
#include "odonata/engine/observer.hpp"
#include "odonata/explain/way_source.hpp"

namespace odonata {

class MessageWays final : public Logging, public WaySource {
 public:
  using Logging::Logging;

  void submitted(const Submission& submission);
  void crossed(std::uint32_t message, WayPart part, std::int32_t link, Time time) {
    add_piece(messages_[message].way, part, link, time);
  }
  void left(std::uint32_t message) { messages_[message].at_nic = messages_[message].way.size(); }
  void kept_gap(std::int32_t port, Time gap) { gaps_[port] += gap; }

  [[nodiscard]] std::span<const Piece> tell(std::uint32_t message, Reached reached) override {
    const std::span<const Piece> way = messages_[message].way;
    return reached == Reached::node ? way : way.first(messages_[message].at_nic);
  }
  [[nodiscard]] std::optional<Time> gaps_before(std::uint32_t message) const override {
    return messages_[message].gaps;
  }

 private:
  struct Message {
    Way way;
    std::size_t at_nic = 0;  // pieces until it has left its node
    Time gaps = 0;  // [ps] at its NIC before it
  };

  std::vector<Message> messages_;  // by slot
  std::vector<Time> gaps_;  // [ps] by port, since it was idle
};

extern template class AnalyticNetwork<MessageWays>;

}  // namespace odonata
