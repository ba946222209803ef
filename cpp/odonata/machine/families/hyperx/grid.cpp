#include "odonata/machine/families/hyperx/grid.hpp"

#include "odonata/machine/families/hyperx/routing.hpp"

namespace odonata {

Grid::Grid(const std::vector<std::int32_t>& sizes, const std::vector<std::int32_t>& cables) {
  std::int32_t links = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    dimensions_.push_back({sizes[d], routers_, cables.empty() ? 1 : cables[d], links});
    routers_ *= sizes[d];
    links += (sizes[d] - 1) * dimensions_.back().cables;
  }
}

std::unique_ptr<Routing> HyperxTopology::routing(const Machine& machine,
                                                 const RoutingOptions& options) const {
  return std::make_unique<HyperxRouting>(machine, grid_, options);
}

// Loads by counting: dimension after dimension, as HyperxRouting goes.
void HyperxTopology::add_loads(const Machine& machine, const std::string& policy,
                               TrafficMatrix traffic, std::vector<double>& load) const {
  const bool straight = policy_named(policy) == Policy::minimal;
  const auto add = [&](std::int32_t from, std::size_t d, std::int32_t to, double rate) {
    const std::int32_t cables = grid_.dimension(d).cables;
    const std::int32_t first = machine.first_link[from] + grid_.link(from, d, to, 0);
    for (std::int32_t cable = 0; cable < cables; ++cable) load[first + cable] += rate / cables;
  };
  const auto cross = [&](std::int32_t from, std::size_t d, std::int32_t to, double rate) {
    if (straight) return add(from, d, to, rate);
    const std::int32_t size = grid_.dimension(d).size;
    for (std::int32_t middle = 0; middle < size; ++middle) {
      if (middle == grid_.coordinate(from, d)) continue;
      add(from, d, middle, rate / (size - 1));
      if (middle != to) add(grid_.moved(from, d, middle), d, to, rate / (size - 1));
    }
  };
  for (std::int32_t a = 0; a < machine.num_routers(); ++a)
    for (std::int32_t b = 0; b < machine.num_routers(); ++b) {
      std::int32_t at = a;
      for (std::size_t d = 0; d < grid_.dimensions() && traffic.row(a)[b] > 0; ++d) {
        const std::int32_t to = grid_.coordinate(b, d);
        if (grid_.coordinate(at, d) == to) continue;
        cross(at, d, to, traffic.row(a)[b]);
        at = grid_.moved(at, d, to);
      }
    }
}

}  // namespace odonata
