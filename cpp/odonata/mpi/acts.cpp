#include "odonata/mpi/acts.hpp"

namespace odonata {

ActId Acts::add(std::int32_t rank, const Act& act) {
  if (!keeps_) return {};
  if (size_ == most_) {
    keeps_ = false;
    by_rank_ = {};
    return {};
  }
  ++size_;
  const auto number = static_cast<std::size_t>(rank);
  if (by_rank_.size() <= number) by_rank_.resize(number + 1);
  by_rank_[number].push_back(act);
  return {rank, static_cast<std::uint32_t>(by_rank_[number].size() - 1)};
}

void Acts::need(ActId act) {
  if (has(act)) add(act.rank, {Act::Kind::need, 0, 0, 0, act.number});
}

void Acts::settle(ActId act, std::int32_t source, std::int32_t tag) {
  if (!has(act)) return;
  Act& receive = by_rank_[act.rank][act.number];
  receive.peer = source;
  receive.tag = tag;
}

void Acts::withdraw(ActId act) {
  if (has(act)) by_rank_[act.rank][act.number] = {};
}

}  // namespace odonata
