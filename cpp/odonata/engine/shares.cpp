#include "odonata/engine/shares.hpp"

namespace odonata {

void Shares::begin(std::int32_t message, Time own, Time now) {
  count(now);
  flows_.push({had_ + own, begun_++, message});
}

Time Shares::next() const {
  if (flows_.empty()) return never;
  return until_ + (flows_.top().leaves - had_) * static_cast<Time>(flows_.size());
}

std::int32_t Shares::end(Time now) {
  count(now);
  const std::int32_t message = flows_.top().message;
  flows_.pop();
  return message;
}

void Shares::count(Time now) {
  const auto sharing = static_cast<Time>(flows_.size());
  if (sharing == 0) {
    until_ = now;
    return;
  }
  const Time each = (now - until_) / sharing;
  had_ += each;
  until_ += each * sharing;
}

}  // namespace odonata
