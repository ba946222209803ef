#include "odonata/machine/families/fat_tree/fat_tree.hpp"

#include <utility>

#include "odonata/machine/families/fat_tree/routing.hpp"
#include "odonata/machine/families/fat_tree/tree.hpp"

namespace odonata {

namespace {

constexpr std::size_t most_levels = 8;
constexpr int most_rails = 16;

std::string at_level(const std::string& key, std::size_t level) {
  return "shape." + key + "[" + std::to_string(level - 1) + "]";
}

std::string divisors_of(std::int64_t number) {
  std::string found;
  for (std::int64_t d = 1; d <= number; ++d)
    if (number % d == 0) found += (d > 1 ? ", " : "") + std::to_string(d);
  return found;
}

// The links of a router in one direction, divided by the entry of its level.
std::int64_t divided(std::int64_t links, const std::string& direction, const std::string& key,
                     const std::vector<std::int32_t>& entries, std::size_t level) {
  const std::int32_t by = entries.empty() ? 1 : entries[level - 1];
  if (links % by == 0) return links / by;
  const std::string router = "a router of level " + std::to_string(level);
  const std::string have = std::to_string(links) + " links " + direction;
  if (key == "taper" && by > links)
    throw UserError(at_level(key, level) + ": leaves no link up from " + router + " with " + have,
                    by, "1 to " + std::to_string(links));
  throw UserError(at_level(key, level) + ": does not divide the " + have + " of " + router, by,
                  divisors_of(links));
}

// Parents of a router of each level, given or by the tapers.
std::vector<std::int32_t> parents_of(const FatTree& f) {
  if (!f.up.empty()) return f.up;
  std::vector<std::int32_t> parents;
  for (std::size_t level = 1; level < f.down.size(); ++level) {
    const bool leaf = level == 1 || f.parallel.empty();
    const std::int64_t links = std::int64_t{f.down[level - 1]} * (leaf ? 1 : f.parallel[level - 2]);
    const std::int64_t up = divided(links, "down", "taper", f.taper, level);
    parents.push_back(static_cast<std::int32_t>(divided(up, "up", "parallel", f.parallel, level)));
  }
  return parents;
}

std::vector<std::string> class_names(const FatTree& f) {
  std::vector<std::string> names;
  if (f.rails > 1) names.emplace_back("rail");
  for (std::size_t level = 1; level < f.down.size(); ++level)
    names.push_back("uplink" + std::to_string(level));
  return names;
}

void check_classes(const FatTree& f) {
  check_class_names(f.cables, class_names(f),
                    std::to_string(f.down.size()) + " levels and " + std::to_string(f.rails) +
                        " rails");
}

void check_lengths(const FatTree& f) {
  const auto levels = static_cast<std::int64_t>(f.down.size());
  check_range("shape.down: number of levels", levels, 1, most_levels);
  const auto one_fewer = [&](const std::string& key, const std::vector<std::int32_t>& entries) {
    if (!entries.empty())
      check_range("shape." + key + ": number of levels", static_cast<std::int64_t>(entries.size()),
                  levels - 1, levels - 1);
  };
  one_fewer("up", f.up);
  one_fewer("taper", f.taper);
  one_fewer("parallel", f.parallel);
  if (!f.up.empty() && !f.taper.empty())
    throw UserError("shape.taper: shape.up says already how many parents each router has");
}

// The steps between tiers; counts every product before it can overflow.
std::vector<Tree::Step> steps_of(const FatTree& f) {
  const std::vector<std::int32_t> parents = parents_of(f);
  std::vector<Tree::Step> steps;
  if (f.rails > 1) steps.push_back({f.down[0], f.rails, 1});
  for (std::size_t level = 1; level < f.down.size(); ++level)
    steps.push_back(
        {f.down[level], parents[level - 1], f.parallel.empty() ? 1 : f.parallel[level - 1]});
  return steps;
}

void check_counts(std::int64_t nodes_each, const std::vector<Tree::Step>& steps) {
  std::int64_t lowest = 1, copies = 1;
  for (const Tree::Step& step : steps) {
    lowest *= step.children;
    copies *= step.parents;
    check_range("shape: number of nodes", lowest * nodes_each, 1, most_nodes);
    check_range("shape: number of routers of a pod", copies, 1, most_routers);
  }
  check_range("shape: number of nodes", lowest * nodes_each, 1, most_nodes);
  std::int64_t routers = lowest, links = 2 * lowest * nodes_each, pods = lowest;
  copies = 1;
  for (const Tree::Step& step : steps) {
    links += 2 * pods * copies * step.parents * step.cables;
    pods /= step.children;
    copies *= step.parents;
    routers += pods * copies;
    check_range("shape: number of routers", routers, 1, most_routers);
    check_range("shape: number of links", links, 1, most_links);
  }
}

std::vector<Wire> wires_of(const Tree& tree, std::int32_t first_class) {
  std::vector<Wire> wires;
  for (std::int32_t r = 0; r < tree.num_routers(); ++r) {
    const std::size_t t = tree.tier_of(r);
    std::int32_t link = 0;
    for (const std::int32_t to : tree.neighbours(r)) {
      const bool up = link++ < tree.tier(t).ports();
      wires.push_back({r, to, first_class + static_cast<std::int32_t>(up ? t : t - 1)});
    }
  }
  return wires;
}

}  // namespace

const Declaration<FatTree>& declare_fat_tree() {
  using Kind = Parameter::Kind;
  static const Declaration<FatTree> declared{
      .name = "fat-tree",
      .summary = "Levels of routers, each with links to several of the next: k-ary n-trees and XGFT"
                 " (Öhring et al. 1995)",
      .keys =
          {
              {{.name = "down",
                .kind = Kind::counts,
                .low = 1,
                .high = 4'096,
                .meaning = "Children of a router, for each level from the leaves on;"
                           " children of a leaf are nodes",
                .start = "[4, 4]"},
               &FatTree::down},
              {{.name = "up",
                .kind = Kind::counts,
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Parents of a router, for each level but the highest; left out: as"
                           " shape.taper says"},
               &FatTree::up},
              {{.name = "taper",
                .kind = Kind::counts,
                .low = 1,
                .high = 4'096,
                .required = false,
                .meaning = "Links down for each link up, for each level but the highest; left out:"
                           " as many up as down"},
               &FatTree::taper},
              {{.name = "parallel",
                .kind = Kind::counts,
                .low = 1,
                .high = 64,
                .required = false,
                .meaning = "Links between a router and each parent, for each level but the highest;"
                           " left out: one"},
               &FatTree::parallel},
              {{.name = "rails",
                .low = 1,
                .high = most_rails,
                .required = false,
                .meaning = "Trees side by side, each with a link of every node; left out: one"},
               &FatTree::rails},
          },
      .classes = {{injection_class, &FatTree::injection}, {ejection_class, &FatTree::ejection}},
      .own_names = {"uplink1"},
      .own = &FatTree::cables,
      .policies = fat_tree_policies(),
      .make = make_fat_tree,
  };
  return declared;
}

Machine make_fat_tree(const FatTree& f) {
  check_lengths(f);
  check_declared(declare_fat_tree(), f);
  check_classes(f);
  const std::vector<Tree::Step> steps = steps_of(f);
  const std::int32_t nodes_each = f.rails > 1 ? 1 : f.down[0];
  check_counts(nodes_each, steps);
  const Tree tree(nodes_each, steps);
  const auto topology = std::make_shared<FatTreeTopology>(tree, f.rails > 1 ? 0 : 1);
  std::vector<std::int32_t> node_router;
  for (std::int32_t n = 0; n < tree.tier(0).pods * nodes_each; ++n)
    node_router.push_back(n / nodes_each);
  Machine machine = begin_machine(f.basics, "fat-tree");
  machine.levels = topology->levels();
  machine.topology = topology;
  machine.classes = declared_classes(declare_fat_tree(), f);
  connect(machine, std::move(node_router), tree.num_routers(), wires_of(tree, 2), 0, 1);
  return machine;
}

}  // namespace odonata
