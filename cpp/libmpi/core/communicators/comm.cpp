#include "libmpi/core/communicators/comm.hpp"

namespace odonata::libmpi {

int Group::rank_of(std::int32_t world_rank) const {
  const auto guess = static_cast<std::size_t>(world_rank);
  if (guess < members.size() && members[guess] == world_rank) return world_rank;
  if (places_.empty())
    for (std::size_t i = 0; i < members.size(); ++i)
      places_.emplace(members[i], static_cast<std::int32_t>(i));
  const auto found = places_.find(world_rank);
  return found == places_.end() ? -1 : found->second;
}

}  // namespace odonata::libmpi
