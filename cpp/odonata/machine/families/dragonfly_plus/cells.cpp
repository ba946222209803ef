#include "odonata/machine/families/dragonfly_plus/cells.hpp"

#include "odonata/machine/families/dragonfly_plus/routing.hpp"

namespace odonata {

Cells::Cells(const std::vector<std::int32_t>& leaves, std::int32_t spines, std::int32_t cables)
    : leaves_(leaves), spines_(spines), cables_(cables), first_{0} {
  for (std::int32_t cell = 0; cell < num_cells(); ++cell) {
    const std::int32_t routers = leaves_[cell] + spines_;
    for (std::int32_t index = 0; index < routers; ++index) {
      if (index < leaves_[cell]) leaf_router_.push_back(first_.back() + index);
      places_.push_back({cell, index, index >= leaves_[cell]});
    }
    first_.push_back(first_.back() + routers);
  }
}

std::vector<std::int32_t> CellTopology::position(std::int32_t router) const {
  const Cells::Place& at = cells_.place(router);
  if (at.spine) return {at.cell, 2, cells_.spine_number(router)};
  return {at.cell, 1, at.index};
}

std::unique_ptr<Routing> CellTopology::routing(const Machine& machine,
                                               const RoutingOptions& options) const {
  return std::make_unique<CellRouting>(machine, cells_, options);
}

Level CellTopology::level() const {
  Level cells{"cell", cells_.num_cells(), {}};
  for (std::int32_t r = 0; r < cells_.num_routers(); ++r) cells.of_router.push_back(cells_.cell(r));
  return cells;
}

}  // namespace odonata
