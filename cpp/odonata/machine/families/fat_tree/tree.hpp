// The shape of a fat tree: tiers of routers, and the links between one tier and the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "odonata/machine/topology.hpp"

namespace odonata {

/// Routers by tier from the lowest on, in a tier by pod, in a pod by index:
///
///     router = tier.first + pod * tier.copies + index
///
/// All routers of a pod have the same routers of the lowest tier below them. Links that leave a
/// router: those up by port, then those down by child, then by cable. Port q leads up to parent
/// q % parents by cable q / parents.
class Tree {
 public:
  struct Tier {
    std::int32_t first = 0;     // router
    std::int32_t pods = 1;
    std::int32_t copies = 1;    // routers of a pod
    std::int32_t below = 1;     // routers of the lowest tier below a pod
    std::int32_t children = 0;  // routers of the tier below that a router has links to
    std::int32_t parents = 0;   // routers of the tier above
    std::int32_t cables = 1;    // links to each parent

    [[nodiscard]] std::int32_t ports() const { return parents * cables; }
  };
  struct Step {  // from one tier up to the next
    std::int32_t children, parents, cables;
  };

  Tree(std::int32_t nodes_each, const std::vector<Step>& steps);

  [[nodiscard]] std::int32_t nodes_each() const { return nodes_each_; }
  [[nodiscard]] std::size_t num_tiers() const { return tiers_.size(); }
  [[nodiscard]] const Tier& tier(std::size_t t) const { return tiers_[t]; }
  [[nodiscard]] std::int32_t num_routers() const { return routers_; }

  [[nodiscard]] std::size_t tier_of(std::int32_t router) const;
  [[nodiscard]] std::int32_t pod_of(std::int32_t router) const;
  [[nodiscard]] std::int32_t index_of(std::int32_t router) const;
  /// The first router of the lowest tier below a router.
  [[nodiscard]] std::int32_t lowest_below(std::int32_t router) const {
    return pod_of(router) * tiers_[tier_of(router)].below;
  }
  /// The routers at the other ends of the links that leave a router, in the order of the links.
  [[nodiscard]] std::vector<std::int32_t> neighbours(std::int32_t router) const;

  /// The port by which the traffic of a node climbs from a tier: floor(node / copies) mod ports
  /// (Zahavi 2012, D-Mod-K). It comes down by the same cable.
  [[nodiscard]] std::int32_t port_for(std::size_t t, std::int32_t node) const {
    return node / tiers_[t].copies % tiers_[t].ports();
  }
  /// Number of the first link down to a child, among the links that leave a router of a tier.
  [[nodiscard]] std::int32_t link_down(std::size_t t, std::int32_t child) const {
    return tiers_[t].ports() + child * tiers_[t - 1].cables;
  }

  /// Links on a shortest way between any two routers.
  [[nodiscard]] int distance(std::int32_t a, std::int32_t b) const;
  /// The longest of these.
  [[nodiscard]] int diameter() const;

 private:
  std::int32_t nodes_each_;
  std::int32_t routers_ = 0;
  std::vector<Tier> tiers_;
};

/// Routers at (level, pod, index); the leaves have level 1, and the adapters of nodes with several
/// rails level 0.
class FatTreeTopology final : public Topology {
 public:
  FatTreeTopology(Tree tree, int lowest_level)
      : tree_(std::move(tree)), lowest_level_(lowest_level) {}

  [[nodiscard]] std::vector<std::string> axes() const override { return {"level", "pod", "index"}; }
  [[nodiscard]] std::vector<std::int32_t> position(std::int32_t router) const override;
  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;
  /// Half of the leaves, or of the pods of a level, against the rest with all routers above.
  [[nodiscard]] std::vector<Level> partitions(const Machine& machine) const override;

  /// The leaves, and the pods of each level between them and the highest.
  [[nodiscard]] std::vector<Level> levels() const;

 private:
  Tree tree_;
  int lowest_level_;
};

}  // namespace odonata
