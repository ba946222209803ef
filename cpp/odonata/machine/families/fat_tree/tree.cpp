#include "odonata/machine/families/fat_tree/tree.hpp"

#include <algorithm>
#include <cstdlib>

#include "odonata/machine/families/fat_tree/routing.hpp"

namespace odonata {

Tree::Tree(std::int32_t nodes_each, const std::vector<Step>& steps)
    : nodes_each_(nodes_each), tiers_(steps.size() + 1) {
  for (std::size_t t = 0; t < steps.size(); ++t) {
    Tier& here = tiers_[t];
    Tier& above = tiers_[t + 1];
    here.parents = steps[t].parents;
    here.cables = steps[t].cables;
    above.children = steps[t].children;
    above.copies = here.copies * here.parents;
    above.below = here.below * above.children;
  }
  for (Tier& tier : tiers_) {
    tier.pods = tiers_.back().below / tier.below;
    tier.first = routers_;
    routers_ += tier.pods * tier.copies;
  }
}

std::size_t Tree::tier_of(std::int32_t router) const {
  std::size_t t = 0;
  while (t + 1 < tiers_.size() && router >= tiers_[t + 1].first) ++t;
  return t;
}

std::int32_t Tree::pod_of(std::int32_t router) const {
  const Tier& tier = tiers_[tier_of(router)];
  return (router - tier.first) / tier.copies;
}

std::int32_t Tree::index_of(std::int32_t router) const {
  const Tier& tier = tiers_[tier_of(router)];
  return (router - tier.first) % tier.copies;
}

std::vector<std::int32_t> Tree::neighbours(std::int32_t router) const {
  std::vector<std::int32_t> found;
  const std::size_t t = tier_of(router);
  const Tier& tier = tiers_[t];
  const std::int32_t pod = pod_of(router), index = index_of(router);
  for (std::int32_t q = 0; q < tier.ports(); ++q) {
    const Tier& above = tiers_[t + 1];
    found.push_back(above.first + pod / above.children * above.copies + index +
                    tier.copies * (q % tier.parents));
  }
  for (std::int32_t child = 0; child < tier.children; ++child) {
    const Tier& below = tiers_[t - 1];
    const std::int32_t to =
        below.first + (pod * tier.children + child) * below.copies + index % below.copies;
    found.insert(found.end(), below.cables, to);
  }
  return found;
}

// Up to a tier where both are in one pod, and down to one where their copies are one.
int Tree::distance(std::int32_t a, std::int32_t b) const {
  const std::size_t at_a = tier_of(a), at_b = tier_of(b);
  std::size_t highest = std::max(at_a, at_b), lowest = std::min(at_a, at_b);
  while (lowest_below(a) / tiers_[highest].below != lowest_below(b) / tiers_[highest].below)
    ++highest;
  while (index_of(a) % tiers_[lowest].copies != index_of(b) % tiers_[lowest].copies) --lowest;
  return 2 * static_cast<int>(highest - lowest) -
         std::abs(static_cast<int>(at_a) - static_cast<int>(at_b));
}

int Tree::diameter() const {
  int most = 0;
  for (std::size_t high = 0; high < tiers_.size(); ++high)
    for (std::size_t low = 0; low <= high; ++low) {
      std::size_t highest = high, lowest = low;
      while (tiers_[highest].pods > 1) ++highest;
      while (tiers_[lowest].copies > 1) --lowest;
      most = std::max(most, static_cast<int>(2 * (highest - lowest) - (high - low)));
    }
  return most;
}

std::vector<std::int32_t> FatTreeTopology::position(std::int32_t router) const {
  return {lowest_level_ + static_cast<std::int32_t>(tree_.tier_of(router)), tree_.pod_of(router),
          tree_.index_of(router)};
}

std::unique_ptr<Routing> FatTreeTopology::routing(const Machine& machine,
                                                  const RoutingOptions& options) const {
  return std::make_unique<FatTreeRouting>(machine, tree_, options);
}

namespace {

// Tiers whose pods are levels of locality: from the leaves to below the highest.
std::vector<std::size_t> inner_tiers(const Tree& tree, int lowest_level) {
  std::vector<std::size_t> tiers;
  for (auto t = static_cast<std::size_t>(1 - lowest_level); t + 1 < tree.num_tiers(); ++t)
    tiers.push_back(t);
  return tiers;
}

std::string level_name(std::size_t level) {
  if (level <= 2) return level == 1 ? "leaf" : "pod";
  return "pod" + std::to_string(level);
}

}  // namespace

// Routers above a level are shared out between its blocks in order, so that every router has one.
std::vector<Level> FatTreeTopology::levels() const {
  std::vector<Level> levels;
  for (const std::size_t t : inner_tiers(tree_, lowest_level_)) {
    const Tree::Tier& blocks = tree_.tier(t);
    Level level{level_name(t + static_cast<std::size_t>(lowest_level_)), blocks.pods, {}};
    for (std::int32_t r = 0; r < tree_.num_routers(); ++r) {
      const Tree::Tier& own = tree_.tier(tree_.tier_of(r));
      const std::int64_t wide = std::max(1, own.below / blocks.below);
      const std::int64_t share = wide * tree_.index_of(r) / own.copies;
      level.of_router.push_back(tree_.lowest_below(r) / blocks.below +
                                static_cast<std::int32_t>(share));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<Level> FatTreeTopology::partitions(const Machine& machine) const {
  std::vector<Level> parts;
  for (const std::size_t t : inner_tiers(tree_, lowest_level_)) {
    const Tree::Tier& blocks = tree_.tier(t);
    const std::size_t level = t + static_cast<std::size_t>(lowest_level_);
    parts.push_back({level == 1 ? "leaf router" : level_name(level), blocks.pods, {}});
    for (std::int32_t r = 0; r < tree_.num_routers(); ++r)
      parts.back().of_router.push_back(tree_.tier_of(r) > t ? blocks.pods - 1
                                                            : tree_.lowest_below(r) / blocks.below);
  }
  return parts.empty() ? Topology::partitions(machine) : parts;
}

}  // namespace odonata
