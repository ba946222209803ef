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

// Digits of each router with nodes: its position among the subtrees of one tier that are in the
// same subtree of the next. [tiers - 1][routers]
using Digits = std::vector<std::vector<std::int32_t>>;

Digits digits_of(const Machine& machine, const std::vector<std::int32_t>& tier) {
  const std::vector<std::int32_t> leaves = leaves_of(machine);
  const std::int32_t top = *std::ranges::max_element(tier);
  Subtrees subtrees(machine, tier);
  Digits digits;
  std::vector<std::int32_t> part(machine.num_routers());
  for (const std::int32_t leaf : leaves) part[leaf] = leaf;
  for (std::int32_t t = 1; t <= top; ++t) {
    subtrees.join(t);
    std::map<std::int32_t, std::int32_t> next, number;  // in each larger part, of each smaller one
    digits.emplace_back(machine.num_routers());
    for (const std::int32_t leaf : leaves) {
      const std::int32_t larger = subtrees.find(leaf);
      const auto [known, fresh] = number.try_emplace(part[leaf], 0);
      if (fresh) known->second = next[larger]++;
      digits.back()[leaf] = known->second;
      part[leaf] = larger;
    }
  }
  return digits;
}

}  // namespace

Routes route_dmodk(const Machine& machine) {
  const std::vector<std::int32_t> tier = distances_from(machine, leaves_of(machine));
  check_tiers(machine, tier);
  const Digits digits = digits_of(machine, tier);
  const RouterPorts at(machine);
  // Up from tier t, and down to it, by digit t of the port: its position on its router, the
  // position of this router in its subtree, and so on.
  return Tiers(machine, tier)
      .route([&](const LinkChoices& links, std::int32_t router, std::int32_t port, bool down) {
        const std::int32_t t = tier[router] - (down ? 1 : 0);
        const std::int32_t digit =
            t <= 0 ? at.at[port]
                   : digits[static_cast<std::size_t>(t) - 1][machine.port_router[port]];
        return links[static_cast<std::size_t>(digit) % links.size()];
      });
}

}  // namespace odonata
