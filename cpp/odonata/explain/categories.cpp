#include "odonata/explain/categories.hpp"

#include <array>

namespace odonata {

std::vector<std::string> Categories::names() const {
  std::vector<std::string> names{
      "computing",    "send_overhead", "receive_overhead", "copying",       "reducing",
      "matching",     "pausing",       "late_sender",      "late_receiver", "late_in_collective",
      "rendezvous",   "inside_node",   "injection_queue",  "serialization", "wire_and_routers",
      "transmission", "ejection"};
  for (const LinkClass& c : machine_->classes) names.push_back("queueing." + c.name);
  for (const LinkClass& c : machine_->classes) names.push_back("credit." + c.name);
  return names;
}

std::size_t Categories::of(Work work) const {
  constexpr std::array<Category, num_works> categories{
      Category::computing,        Category::send_overhead,    Category::send_overhead,
      Category::receive_overhead, Category::receive_overhead, Category::copying,
      Category::reducing,         Category::matching,         Category::matching,
      Category::matching};
  return of(categories[static_cast<std::size_t>(work)]);
}

std::size_t Categories::of(const Piece& piece) const {
  const std::int32_t link = piece.link();
  const auto link_class = static_cast<std::size_t>(machine_->links[link].link_class);
  const bool injects = link < machine_->num_nodes();
  const bool ejects = !injects && link < 2 * machine_->num_nodes();
  switch (piece.part()) {
    case WayPart::queue: return injects ? of(Category::injection_queue) : num_common + link_class;
    case WayPart::credit: return num_common + num_classes_ + link_class;
    case WayPart::serialization: return of(Category::serialization);
    case WayPart::transmission: return of(ejects ? Category::ejection : Category::transmission);
    case WayPart::wire: return of(ejects ? Category::ejection : Category::wire);
    default: return of(Category::inside_node);
  }
}

}  // namespace odonata
