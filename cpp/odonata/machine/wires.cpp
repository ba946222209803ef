#include "odonata/machine/wires.hpp"

#include <algorithm>
#include <tuple>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

std::string text(const Wire& w) {
  return "link " + std::to_string(w.from) + " -> " + std::to_string(w.to);
}

}  // namespace

void check_wires(const std::string& what, const std::vector<Wire>& wires, int num_routers) {
  std::vector<Key> there, back;
  for (const Wire& w : wires) {
    const auto [low, high] = std::minmax(w.from, w.to);
    if (low < 0 || high >= num_routers)
      throw UserError(what + ": " + text(w) + " dangles: no such router", low < 0 ? low : high,
                      "0 to " + std::to_string(num_routers - 1));
    if (w.from == w.to) throw UserError(what + ": " + text(w) + " leads back to its own router");
    there.emplace_back(w.from, w.to, w.link_class);
    back.emplace_back(w.to, w.from, w.link_class);
  }
  std::sort(there.begin(), there.end());
  std::sort(back.begin(), back.end());
  std::vector<Key> one_way;
  std::set_difference(there.begin(), there.end(), back.begin(), back.end(),
                      std::back_inserter(one_way));
  if (one_way.empty()) return;
  const auto [from, to, link_class] = one_way.front();
  throw UserError(what + ": " + text({from, to, link_class}) +
                  " goes one way: no link of its class leads back (" +
                  std::to_string(one_way.size()) + " such links)");
}

namespace {

// Directed router links of one class, sorted.
std::vector<std::pair<std::int32_t, std::int32_t>> links_of(const Machine& machine,
                                                            const std::string& name) {
  std::vector<std::pair<std::int32_t, std::int32_t>> found;
  for (std::int32_t i = 2 * machine.num_ports(); i < machine.num_links(); ++i) {
    const Link& link = machine.links[i];
    if (machine.class_of(i).name == name) found.emplace_back(link.from, link.to);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<Difference> compare_links(const Machine& first, const Machine& second) {
  if (first.num_routers() != second.num_routers())
    throw UserError("wiring: number of routers", second.num_routers(),
                    std::to_string(first.num_routers()) + ", as the machine has");
  std::vector<Difference> differences;
  for (const LinkClass& c : first.classes) {
    if (c.of_nodes()) continue;
    const auto a = links_of(first, c.name), b = links_of(second, c.name);
    std::vector<std::pair<std::int32_t, std::int32_t>> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    differences.push_back({c.name, static_cast<int>(a.size() - both.size()),
                           static_cast<int>(b.size() - both.size()),
                           static_cast<int>(both.size())});
  }
  return differences;
}

}  // namespace odonata
