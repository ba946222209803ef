#include "odonata/engine/gates.hpp"

#include <algorithm>
#include <string>

#include "odonata/units/errors.hpp"

namespace odonata {

bool Gates::has_room(std::int32_t target, Bytes bytes, Time now) {
  Gate& gate = gates_[target];
  gate.used -= gate.credits.take(now, pool_);
  return gate.used == 0 || gate.used + bytes <= window_;
}

Time Gates::leave(std::int32_t target, std::int32_t bytes, Time now) {
  gates_[target].credits.add({now + delay_, bytes}, pool_);
  return now + delay_;
}

void Gates::wait(std::int32_t source, std::int32_t target, std::int32_t message) {
  const auto slot = static_cast<std::size_t>(message);
  if (behind_.size() <= slot) behind_.resize(std::max(slot + 1, 2 * behind_.size()));
  behind_[slot] = none;
  const auto [place, is_new] = by_ends_.try_emplace(key_of(source, target), none);
  if (is_new) {
    place->second = static_cast<std::int32_t>(pairs_.add());
    pairs_[static_cast<std::uint32_t>(place->second)] = {source, target, message, message, none};
    return join(place->second);
  }
  Pair& pair = pairs_[static_cast<std::uint32_t>(place->second)];
  if (pair.first == none)
    pair.first = message;
  else
    behind_[pair.last] = message;
  pair.last = message;
}

void Gates::join(std::int32_t pair) {
  Gate& gate = gates_[pairs_[static_cast<std::uint32_t>(pair)].target];
  if (gate.first == none)
    gate.first = pair;
  else
    pairs_[static_cast<std::uint32_t>(gate.last)].next = pair;
  gate.last = pair;
}

Gates::Grant Gates::grant(std::int32_t target, Bytes bytes) {
  Gate& gate = gates_[target];
  Pair& pair = pairs_[static_cast<std::uint32_t>(gate.first)];
  gate.first = pair.next;
  pair.next = none;
  const std::int32_t message = pair.first;
  pair.first = behind_[message];
  gate.used += bytes;
  return {pair.source, message};
}

Time Gates::next_room(std::int32_t target) const {
  const Credits& credits = gates_[target].credits;
  return credits.empty() ? never : credits.next_time();
}

bool Gates::started(std::int32_t source, std::int32_t target, std::int32_t rest) {
  const auto place = by_ends_.find(key_of(source, target));
  const std::int32_t number = place->second;
  Pair& pair = pairs_[static_cast<std::uint32_t>(number)];
  if (rest != none) {
    behind_[rest] = pair.first;
    if (pair.first == none) pair.last = rest;
    pair.first = rest;
  }
  if (pair.first != none) {
    join(number);
    return true;
  }
  by_ends_.erase(place);
  pairs_.remove(static_cast<std::uint32_t>(number));
  return false;
}

void Gates::check_conservation() const {
  for (std::size_t port = 0; port < gates_.size(); ++port) {
    const Gate& gate = gates_[port];
    const std::string name = "gate of port " + std::to_string(port);
    if (gate.first != none) throw ConservationError(name, "sources that wait", 1, 0);
    const std::int64_t returning = gate.credits.sum(pool_);
    if (gate.used != returning)
      throw ConservationError(name, "bytes on the way [B]", gate.used, returning);
  }
  if (pairs_.num_used() != 0)
    throw ConservationError("all gates", "sources with a grant", pairs_.num_used(), 0);
}

}  // namespace odonata
