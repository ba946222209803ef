#include "preload/libmpi/core/communicators/comm.hpp"

#include <algorithm>
#include <numeric>

namespace odonata::libmpi {

int Group::rank_of(std::int32_t world_rank) const {
  const auto guess = static_cast<std::size_t>(world_rank);
  if (guess < members.size() && members[guess] == world_rank) return world_rank;
  if (by_rank_.empty()) {
    by_rank_.resize(members.size());
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::ranges::sort(by_rank_, {}, [this](std::int32_t place) { return members[place]; });
  }
  const auto found = std::ranges::lower_bound(
      by_rank_, world_rank, {}, [this](std::int32_t place) { return members[place]; });
  return found == by_rank_.end() || members[*found] != world_rank ? -1 : *found;
}

}  // namespace odonata::libmpi
