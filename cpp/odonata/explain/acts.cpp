#include "odonata/explain/acts.hpp"

#include <algorithm>

namespace odonata {

std::uint32_t Acts::add(const Act& act) {
  if (dropped_) return none;
  if (acts_.size() == most) {
    drop();
    return none;
  }
  acts_.push_back(act);
  return static_cast<std::uint32_t>(acts_.size() - 1);
}

void Acts::drop() {
  dropped_ = true;
  std::vector<Act>{}.swap(acts_);
  std::vector<Flight>{}.swap(flights_);
  std::vector<Message>{}.swap(messages_);
}

void Acts::need(std::uint32_t act) {
  if (!dropped_) add({Act::Kind::need, acts_[act].rank, act});
}

void Acts::settle(std::uint32_t act, std::int32_t source, std::int32_t tag) {
  if (act >= acts_.size()) return;
  acts_[act].peer = source;
  acts_[act].tag = tag;
}

void Acts::withdraw(std::uint32_t act) {
  if (act < acts_.size()) acts_[act].kind = Act::Kind::nothing;
}

void Acts::begin_message(std::uint32_t message, std::uint32_t act) {
  if (dropped_) return;
  if (messages_.size() <= message)
    messages_.resize(std::max<std::size_t>(message + 1, 2 * messages_.size()));
  messages_[message] = {act, none};
}

void Acts::hand_over(std::uint32_t message, Flight::Leg leg, Time now) {
  if (message >= messages_.size() || messages_[message].act == none) return;
  messages_[message].flight = static_cast<std::uint32_t>(flights_.size());
  Flight& flight = flights_.emplace_back();
  flight.act = messages_[message].act;
  flight.leg = leg;
  flight.handed = now;
}

Flight* Acts::flight_of(std::uint32_t message) {
  if (message >= messages_.size() || messages_[message].flight == none) return nullptr;
  return &flights_[messages_[message].flight];
}

void Acts::arrive(std::uint32_t message, Time now) {
  if (Flight* flight = flight_of(message)) flight->end = now;
}

void Acts::leave(std::uint32_t message, Time now) {
  if (Flight* flight = flight_of(message)) flight->left = now;
}

}  // namespace odonata
