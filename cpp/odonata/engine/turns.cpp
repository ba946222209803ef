#include "odonata/engine/turns.hpp"

#include <algorithm>

namespace odonata {

namespace {

std::uint64_t pair_of(const Transfer& transfer) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(transfer.from_port)) << 32 |
         static_cast<std::uint32_t>(transfer.to_port);
}

}  // namespace

bool Turns::join(std::int32_t message, const Transfer& transfer) {
  const auto slot = static_cast<std::size_t>(message);
  if (behind_.size() <= slot) behind_.resize(std::max(slot + 1, 2 * behind_.size()), none);
  behind_[slot] = none;
  const auto [last, first] = last_.try_emplace(pair_of(transfer), message);
  if (first) return true;
  behind_[static_cast<std::size_t>(last->second)] = message;
  last->second = message;
  return false;
}

std::int32_t Turns::leave(std::int32_t message, const Transfer& transfer) {
  const auto last = last_.find(pair_of(transfer));
  if (last->second == message) last_.erase(last);
  return behind_[static_cast<std::size_t>(message)];
}

}  // namespace odonata
