// Links between the groups of a machine, and the state of a packet that may pass a third group.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "odonata/machine/machine.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// A global link that leads to another group, and the router that it leaves.
struct Gateway {
  std::int32_t link, router;
};

/// All of them, by the groups that they leave and reach, then by number.
class Gateways {
 public:
  /// `group_of(router)` is the group of a router, one of `groups`.
  template <class GroupOf>
  Gateways(const Machine& machine, int groups, GroupOf group_of)
      : groups_(groups), offsets_(static_cast<std::size_t>(groups) * groups + 1) {
    const auto pair_of = [&](const Gateway& gateway) {
      return pair(group_of(gateway.router), group_of(machine.links[gateway.link].to));
    };
    for (std::int32_t i = 2 * machine.num_ports(); i < machine.num_links(); ++i) {
      const Link& link = machine.links[i];
      if (group_of(link.from) != group_of(link.to)) all_.push_back({i, link.from});
    }
    std::ranges::stable_sort(all_, {}, pair_of);
    for (const Gateway& gateway : all_) ++offsets_[pair_of(gateway) + 1];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  }

  [[nodiscard]] const std::vector<Gateway>& all() const { return all_; }
  [[nodiscard]] std::span<const Gateway> between(std::int32_t from, std::int32_t to) const {
    const std::size_t at = pair(from, to);
    return {all_.data() + offsets_[at], offsets_[at + 1] - offsets_[at]};
  }

 private:
  [[nodiscard]] std::size_t pair(std::int32_t from, std::int32_t to) const {
    return static_cast<std::size_t>(from) * groups_ + to;
  }

  int groups_;
  std::vector<std::uint32_t> offsets_;  // [groups x groups + 1]
  std::vector<Gateway> all_;
};

/// Draws of one routing decision; a packet makes at most one of each at a router.
enum GroupDraw : std::uint64_t { middle_draw, minimal_draw, detour_draw, local_draw, draws_a_hop };

inline constexpr std::int32_t no_gateway = 0;  // link 0 is a node's

/// The part of a packet's state that is of routing between groups.
struct GroupMemory {
  std::int32_t gateway;  // global link chosen to leave this group
  std::uint16_t middle;  // intermediate group of a detour
  std::uint8_t globals;  // global links taken
  std::uint8_t locals;   // router-to-router links taken since the last global one
};

inline GroupMemory& memory(RouteState& state) { return state.as<GroupMemory>(); }
inline const GroupMemory& memory(const RouteState& state) { return state.as<GroupMemory>(); }

/// Takes the global link that was chosen.
inline Hop take_global(RouteState& state) {
  const Hop hop{memory(state).gateway, memory(state).globals};
  ++memory(state).globals;
  ++state.hops;
  memory(state).locals = 0;
  memory(state).gateway = no_gateway;
  return hop;
}

}  // namespace odonata
