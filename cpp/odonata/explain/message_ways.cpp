#include "odonata/explain/message_ways.hpp"

#include "odonata/engine/analytic_impl.hpp"

namespace odonata {

template class AnalyticNetwork<MessageWays>;

void MessageWays::submitted(const Submission& submission) {
  const std::uint32_t number = submission.message;
  if (messages_.size() <= number)
    messages_.resize(std::max<std::size_t>(number + 1, 2 * messages_.size()));
  const auto port = static_cast<std::size_t>(submission.port);
  if (gaps_.size() <= port) gaps_.resize(std::max(port + 1, 2 * gaps_.size()));
  if (submission.idle) gaps_[port] = 0;
  Message& message = messages_[number];
  message.way.clear();
  message.at_nic = 0;
  message.gaps = gaps_[port];
}

}  // namespace odonata
