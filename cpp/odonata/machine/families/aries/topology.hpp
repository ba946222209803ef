// The topology of Cray Aries: groups, and the names of their divisions.
#pragma once

#include <vector>

#include "odonata/machine/families/grouped/groups.hpp"

namespace odonata {

/// Divisions as Budiardja et al. (CUG 2013) name them:
///
///     green  the routers of a chassis, which green links join
///     black  the routers of a column of a group, which black links join
///     red    a diagonal of a group: no two of its routers share a row or a column
///     blue   half of a diagonal of a group and the other half of it in the next group; groups are
///            taken in pairs, and without its pair the last group is in none
class AriesTopology final : public GroupTopology {
 public:
  using GroupTopology::GroupTopology;

  [[nodiscard]] std::vector<Level> divisions() const override;
};

}  // namespace odonata
