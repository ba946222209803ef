#include "odonata/machine/families/graph/tiers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace odonata {

namespace {

constexpr std::int32_t far = std::numeric_limits<std::int32_t>::max() - 1;

}  // namespace

Tiers::Tiers(const Machine& machine, std::vector<std::int32_t> height)
    : machine_(machine), height_(std::move(height)), highest_first_(machine.num_routers()) {
  std::iota(highest_first_.begin(), highest_first_.end(), 0);
  std::ranges::stable_sort(
      highest_first_, [this](std::int32_t a, std::int32_t b) { return height_[a] > height_[b]; });
}

bool Tiers::goes_up(std::int32_t link) const {
  const Link& l = machine_.links[static_cast<std::size_t>(link)];
  return std::pair(height_[l.to], -l.to) > std::pair(height_[l.from], -l.from);
}

// Links of the ways that go down alone, breadth first from their end; links back lead up.
Tiers::Lengths Tiers::ways_down(std::int32_t to) const {
  Lengths lengths(machine_.num_routers(), far);
  std::vector<std::int32_t> reached{to};
  lengths[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto r = static_cast<std::size_t>(reached[i]);
    for (std::int32_t l = machine_.first_link[r]; l < machine_.first_link[r + 1]; ++l) {
      const std::int32_t above = machine_.links[l].to;
      if (!goes_up(l) || lengths[above] != far) continue;
      lengths[above] = lengths[r] + 1;
      reached.push_back(above);
    }
  }
  return lengths;
}

// Links of all ways: down where there is a way down, else up first.
void Tiers::climb(const Lengths& down, Lengths& all) const {
  all = down;
  for (const std::int32_t r : highest_first_) {
    if (down[r] != far) continue;
    const auto at = static_cast<std::size_t>(r);
    for (std::int32_t l = machine_.first_link[at]; l < machine_.first_link[at + 1]; ++l)
      if (goes_up(l)) all[r] = std::min(all[r], all[machine_.links[l].to] + 1);
    all[r] = std::min(all[r], far);
  }
}

Tiers::Toward Tiers::choices_toward(std::int32_t to) const {
  Toward toward;
  Lengths all;
  toward.down = ways_down(to);
  climb(toward.down, all);
  for (std::int32_t router = 0; router < machine_.num_routers(); ++router) {
    const auto r = static_cast<std::size_t>(router);
    const bool descends = toward.down[r] != far;
    const Lengths& lengths = descends ? toward.down : all;
    for (std::int32_t l = machine_.first_link[r]; l < machine_.first_link[r + 1]; ++l)
      if (goes_up(l) != descends && all[r] != far &&
          lengths[machine_.links[l].to] + 1 == lengths[r])
        toward.links.push_back(l);
    toward.first.push_back(toward.links.size());
  }
  return toward;
}

Routes Tiers::route(const Choose& choose) const {
  std::vector<std::int32_t> ports(machine_.port_router.size());
  std::iota(ports.begin(), ports.end(), 0);
  return route(ports, choose);
}

Routes Tiers::route(const std::vector<std::int32_t>& ports, const Choose& choose) const {
  Routes routes = Routes::empty_for(machine_);
  Toward toward;
  std::int32_t last = -1;
  for (const std::int32_t p : ports) {
    const std::int32_t to = machine_.port_router[p];
    if (to != last) toward = choices_toward(last = to);
    for (std::int32_t r = 0; r < routes.routers; ++r)
      if (const LinkChoices links = toward.choices(r); !links.empty())
        routes.set(r, p, choose(links, r, p, toward.down[r] != far) - machine_.first_link[r]);
  }
  return routes;
}

std::vector<std::int32_t> distances_from(const Machine& machine,
                                         const std::vector<std::int32_t>& sources) {
  std::vector<std::int32_t> distance(machine.num_routers(), -1), reached = sources;
  for (const std::int32_t r : sources) distance[r] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto r = static_cast<std::size_t>(reached[i]);
    for (std::int32_t l = machine.first_link[r]; l < machine.first_link[r + 1]; ++l) {
      const std::int32_t to = machine.links[l].to;
      if (distance[to] >= 0) continue;
      distance[to] = distance[r] + 1;
      reached.push_back(to);
    }
  }
  return distance;
}

std::vector<std::int32_t> leaves_of(const Machine& machine) {
  std::vector<std::int32_t> leaves = machine.port_router;
  std::ranges::sort(leaves);
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  return leaves;
}

}  // namespace odonata
