#include "odonata/machine/families/hyperx/hyperx.hpp"

#include <utility>

#include "odonata/machine/families/dimensions.hpp"
#include "odonata/machine/families/hyperx/grid.hpp"
#include "odonata/machine/routing/detours.hpp"

namespace odonata {

namespace {

void check(const Hyperx& h) {
  check_range("shape.sizes: number of dimensions", static_cast<std::int64_t>(h.sizes.size()), 1,
              most_dimensions);
  check_declared(declare_hyperx(), h);
  check_per_dimension("shape.links_per_pair", h.links_per_pair, h.sizes.size());
  check_class_names(h.along, dimension_axes(h.sizes.size()),
                    std::to_string(h.sizes.size()) + " dimensions");
  std::int64_t ports = 2 * std::int64_t{h.nodes_per_router};
  for (std::size_t d = 0; d < h.sizes.size(); ++d)
    ports += std::int64_t{h.sizes[d] - 1} * (h.links_per_pair.empty() ? 1 : h.links_per_pair[d]);
  check_counts(h.sizes, h.nodes_per_router, ports);
}

}  // namespace

const Declaration<Hyperx>& declare_hyperx() {
  using Kind = Parameter::Kind;
  static const Declaration<Hyperx> declared{
      .name = "hyperx",
      .summary = "A grid of any number of dimensions, along each a link between any two routers"
                 " (Ahn et al. 2009)",
      .keys =
          {
              {{.name = "sizes",
                .kind = Kind::counts,
                .low = 2,
                .high = 4'096,
                .meaning = "Routers along x, y, z, w, v, u, d7, ..., each with a table"
                           " [links.<dimension>]",
                .start = "[4, 4]"},
               &Hyperx::sizes},
              {{.name = "nodes_per_router",
                .low = 1,
                .high = 4'096,
                .meaning = "Nodes of each router",
                .start = "4"},
               &Hyperx::nodes_per_router},
              {{.name = "links_per_pair",
                .kind = Kind::counts,
                .low = 1,
                .high = 64,
                .required = false,
                .meaning = "Links between two routers, for each dimension; left out: one"},
               &Hyperx::links_per_pair},
          },
      .classes = {{injection_class, &Hyperx::injection}, {ejection_class, &Hyperx::ejection}},
      .own_names = {"x", "y"},
      .own = &Hyperx::along,
      .policies = detour_policies(),
      .make = make_hyperx,
  };
  return declared;
}

Machine make_hyperx(const Hyperx& h) {
  check(h);
  const Grid grid(h.sizes, h.links_per_pair);
  std::vector<Wire> wires;
  for (std::int32_t r = 0; r < grid.num_routers(); ++r)
    for (std::size_t d = 0; d < grid.dimensions(); ++d)
      for (std::int32_t to = 0; to < grid.dimension(d).size; ++to)
        for (std::int32_t cable = 0; cable < grid.dimension(d).cables; ++cable)
          if (to != grid.coordinate(r, d))
            wires.push_back({r, grid.moved(r, d, to), static_cast<std::int32_t>(2 + d)});
  std::vector<std::int32_t> node_router;
  for (std::int32_t n = 0; n < grid.num_routers() * h.nodes_per_router; ++n)
    node_router.push_back(n / h.nodes_per_router);
  Machine machine = begin_machine(h.basics, "hyperx");
  machine.levels = nested_levels(h.sizes);
  machine.topology = std::make_shared<HyperxTopology>(h.sizes, grid);
  machine.classes = declared_classes(declare_hyperx(), h);
  connect(machine, std::move(node_router), grid.num_routers(), std::move(wires), 0, 1);
  return machine;
}

}  // namespace odonata
