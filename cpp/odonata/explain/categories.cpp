#include "odonata/explain/categories.hpp"

#include <array>
#include <utility>

namespace odonata {

Categories::Categories(const Machine& machine)
    : machine_(&machine), num_classes_(machine.classes.size()) {
  for (std::size_t c = 0; c < num_classes_; ++c)
    for (const auto& [injects, ejects] : {std::pair{false, false}, {true, false}, {false, true}}) {
      Row& row = of_part_.emplace_back();
      for (std::size_t part = 0; part < num_way_parts; ++part)
        row[part] = static_cast<std::uint16_t>(of(static_cast<WayPart>(part), c, injects, ejects));
    }
  places_.reserve(machine.links.size());
  const auto ports = static_cast<std::size_t>(machine.num_ports());
  for (std::size_t link = 0; link < machine.links.size(); ++link) {
    const bool injects = link < ports, ejects = !injects && link < 2 * ports;
    const int end = injects ? 1 : ejects ? 2 : 0;
    places_.push_back(static_cast<std::uint16_t>(3 * machine.links[link].link_class + end));
  }
}

std::vector<std::string> Categories::names() const {
  std::vector<std::string> names{
#define ODONATA_CATEGORY(name, ...) #name,
#include "odonata/explain/kinds.inc"
  };
  for (const char* category : {
#define ODONATA_LINK_CATEGORY(name, ...) #name ".",
#include "odonata/explain/kinds.inc"
       })
    for (const LinkClass& c : machine_->classes) names.push_back(category + c.name);
  return names;
}

std::size_t Categories::of(WayPart part, std::size_t link_class, bool injects, bool ejects) const {
  switch (part) {
    case WayPart::queue:
      return injects ? of(Category::injection_queue) : of(LinkCategory::queueing, link_class);
    case WayPart::credit: return of(LinkCategory::credit, link_class);
    case WayPart::held: return of(Category::congestion_control);
    case WayPart::serialization: return of(Category::serialization);
    case WayPart::transmission: return of(Category::transmission);
    case WayPart::wire: return of(ejects ? Category::ejection : Category::wire_and_routers);
    default: return of(Category::inside_node);
  }
}

}  // namespace odonata
