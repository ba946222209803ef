#include "odonata/machine/star/star.hpp"

#include "odonata/machine/tables/tables.hpp"

namespace odonata {

Machine make_star(const Star& star) {
  check_basics(star.basics);
  check_range("shape.nodes", star.nodes, 1, most_nodes);
  check_link_class("injection", star.injection);
  check_link_class("ejection", star.ejection);
  Machine machine = begin_machine(star.basics, "star");
  machine.topology = std::make_shared<TableTopology>();
  machine.classes = {named("injection", star.injection), named("ejection", star.ejection)};
  connect(machine, std::vector<std::int32_t>(static_cast<std::size_t>(star.nodes), 0), 1, {}, 0, 1);
  return machine;
}

}  // namespace odonata
