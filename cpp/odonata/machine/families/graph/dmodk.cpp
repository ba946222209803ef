#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "odonata/machine/families/graph/engines.hpp"
#include "odonata/machine/families/graph/tiers.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

void check_tiers(const Machine& machine, const std::vector<std::int32_t>& tier) {
  for (std::int32_t i = 2 * machine.num_ports(); i < machine.num_links(); ++i) {
    const Link& link = machine.links[i];
    if (tier[link.from] == tier[link.to] && tier[link.from] >= 0)
      throw UserError("routing: dmodk needs a tree; routers " + std::to_string(link.from) +
                          " and " + std::to_string(link.to) +
                          ", which have a link, are as far from nodes",
                      tier[link.from], "tiers of which only neighbours are joined");
  }
}

// Parts of the tree at each tier: routers that are joined by links up to that tier.
class Subtrees {
 public:
  Subtrees(const Machine& machine, const std::vector<std::int32_t>& tier)
      : machine_(machine), tier_(tier), root_(machine.num_routers()) {
    std::iota(root_.begin(), root_.end(), 0);
  }

  /// Joins the routers of tier `t` and below.
  void join(std::int32_t t) {
    for (std::int32_t i = 2 * machine_.num_ports(); i < machine_.num_links(); ++i) {
      const Link& link = machine_.links[i];
      if (std::max(tier_[link.from], tier_[link.to]) == t) unite(find(link.from), find(link.to));
    }
  }

  std::int32_t find(std::int32_t r) {
    while (root_[r] != r) r = root_[r] = root_[static_cast<std::size_t>(root_[r])];
    return r;
  }

 private:
  void unite(std::int32_t a, std::int32_t b) { root_[std::max(a, b)] = std::min(a, b); }

  const Machine& machine_;
  const std::vector<std::int32_t>& tier_;
  std::vector<std::int32_t> root_;
};

using Numbers = std::vector<std::int64_t>;

// Places of the routers with nodes, as numbers whose digits are the positions of subtrees in larger
// ones: in a complete tree the order of the routers. [routers]
Numbers places_of(const Machine& machine, const std::vector<std::int32_t>& tier) {
  const std::vector<std::int32_t> leaves = leaves_of(machine);
  const std::int32_t top = *std::ranges::max_element(tier);
  Subtrees subtrees(machine, tier);
  Numbers places(machine.num_routers());
  std::vector<std::int32_t> part(machine.num_routers());
  for (const std::int32_t leaf : leaves) part[leaf] = leaf;
  std::int64_t weight = 1;
  for (std::int32_t t = 1; t <= top; ++t) {
    subtrees.join(t);
    std::map<std::int32_t, std::int32_t> next, number;  // in each larger part, of each smaller one
    std::int32_t most = 1;
    for (const std::int32_t leaf : leaves) {
      const std::int32_t larger = subtrees.find(leaf);
      const auto [known, fresh] = number.try_emplace(part[leaf], 0);
      if (fresh) known->second = next[larger]++;
      most = std::max(most, known->second + 1);
      places[leaf] += weight * known->second;
      part[leaf] = larger;
    }
    weight *= most;
  }
  return places;
}

// The cables that join the same two routers.
class Cables {
 public:
  explicit Cables(const Machine& machine)
      : count_(machine.links.size()), next_(machine.links.size()) {
    std::vector<std::int32_t> first(machine.num_routers(), -1), last(first);
    for (std::int32_t l = 2 * machine.num_ports(); l < machine.num_links(); ++l) {
      const Link& link = machine.links[l];
      const std::int32_t known = first[link.to];
      if (known < 0 || machine.links[known].from != link.from)
        first[link.to] = l;
      else
        next_[last[link.to]] = l;
      last[link.to] = l;
      ++count_[first[link.to]];
    }
  }

  /// Is no link before this one between the same routers?
  [[nodiscard]] bool is_first(std::int32_t link) const { return count_[link] > 0; }

  /// The cable of a number, taken in turn from this link, the first, on.
  [[nodiscard]] std::int32_t numbered(std::int32_t link, std::int64_t number) const {
    for (std::int64_t left = number % count_[link]; left > 0; --left) link = next_[link];
    return link;
  }

 private:
  std::vector<std::int32_t> count_;  // [links] of the cables, at the first of them; else 0
  std::vector<std::int32_t> next_;  // [links]
};

// Most parents of a router of each tier.
Numbers parents_of(const Machine& machine, const std::vector<std::int32_t>& tier,
                   const Cables& cables) {
  Numbers most(static_cast<std::size_t>(*std::ranges::max_element(tier)) + 1, 1);
  for (std::int32_t r = 0; r < machine.num_routers(); ++r) {
    if (tier[r] < 0) continue;
    std::int64_t here = 0;
    for (std::int32_t l = machine.first_link[r]; l < machine.first_link[r + 1]; ++l)
      if (cables.is_first(l) && tier[machine.links[l].to] > tier[r]) ++here;
    most[tier[r]] = std::max(most[tier[r]], here);
  }
  return most;
}

// The cable of a number: it chooses the router to which links lead, and the rest of it, once all
// parents are counted, one of the cables between the two.
std::int32_t cable_of(const Cables& cables, const LinkChoices& links, std::int64_t number,
                      std::int64_t parents) {
  const auto is_first = [&](std::int32_t link) { return cables.is_first(link); };
  const std::int64_t routers = std::ranges::count_if(links, is_first);
  std::int64_t left = number % std::max<std::int64_t>(routers, 1);  // there is a first one
  const auto chosen =
      std::ranges::find_if(links, [&](std::int32_t link) { return is_first(link) && left-- == 0; });
  return cables.numbered(*chosen, number / parents);
}

}  // namespace

Routes route_dmodk(const Machine& machine) {
  const std::vector<std::int32_t> tier = distances_from(machine, leaves_of(machine));
  check_tiers(machine, tier);
  const Cables cables(machine);
  const Numbers places = places_of(machine, tier), parents = parents_of(machine, tier, cables);
  Numbers copies{1};  // of a subtree of each tier's ways up
  for (const std::int64_t each : parents) copies.push_back(copies.back() * each);
  const RouterPorts at(machine);
  const std::int64_t most = *std::ranges::max_element(at.at) + 1;
  // Up from tier t, and down to it, by the number of the port over the ways up to tier t.
  return Tiers(machine, tier)
      .route(at.ports,
             [&](const LinkChoices& links, std::int32_t router, std::int32_t port, bool down) {
               const auto t = static_cast<std::size_t>(tier[router] - (down ? 1 : 0));
               const std::int64_t number = at.at[port] + most * places[machine.port_router[port]];
               return cable_of(cables, links, number / copies[t], parents[t]);
             });
}

}  // namespace odonata
