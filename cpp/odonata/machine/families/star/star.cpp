#include "odonata/machine/families/star/star.hpp"

#include "odonata/machine/families/tables/tables.hpp"
#include "odonata/machine/routing/detours.hpp"

namespace odonata {

const Declaration<Star>& declare_star() {
  static const Declaration<Star> declared{
      .name = "star",
      .summary = "One router with all nodes: what a network costs that has no links",
      .keys = {{{.name = "nodes",
                 .low = 1,
                 .high = most_nodes,
                 .meaning = "Nodes, all on one router",
                 .start = "16"},
                &Star::nodes}},
      .classes = {{injection_class, &Star::injection}, {ejection_class, &Star::ejection}},
      .policies = detour_policies(),
      .make = make_star,
  };
  return declared;
}

Machine make_star(const Star& star) {
  check_declared(declare_star(), star);
  Machine machine = begin_machine(star.basics, "star");
  machine.topology = std::make_shared<TableTopology>();
  machine.classes = declared_classes(declare_star(), star);
  connect(machine, std::vector<std::int32_t>(star.nodes, 0), 1, {}, 0, 1);
  return machine;
}

}  // namespace odonata
