// Routing on a fat tree: up to the first router that has the destination below it, then down.
//
// One virtual channel is enough: no link down is followed by one up, so no cycle of waiting
// packets is possible.
//
//     d-mod-k    up by the port that belongs to the destination node: all packets to a node take
//                the same ways (Zahavi 2012)
//     s-mod-k    up by the port that belongs to the source node
//     random     up by any port, all alike
//     adaptive   up by the port for which the fewest bytes wait
//
// The way down is given but for the cable, where there are several between two routers: it is
// chosen as the port is.
#pragma once

#include "odonata/machine/families/fat_tree/tree.hpp"
#include "odonata/machine/routing/policies.hpp"

namespace odonata {

enum class Up : std::uint8_t { d_mod_k, s_mod_k, random, adaptive };

/// The policies as the family declares them, in the order of `Up`.
[[nodiscard]] const std::vector<PolicyAbout>& fat_tree_policies();

/// The policy of that name ("d-mod-k", "s-mod-k", "random", "adaptive"); throws UserError.
[[nodiscard]] inline Up up_named(const std::string& name) {
  return static_cast<Up>(policy_at(fat_tree_policies(), name));
}

class FatTreeRouting final : public Routing {
 public:
  FatTreeRouting(const Machine& machine, Tree tree, const RoutingOptions& options);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int /*link_class*/) const override { return 1; }
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override {
    return tree_.distance(from, to);
  }
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override;

 private:
  struct Place {  // where a router is
    std::int32_t first_link;
    std::int32_t lowest;  // the first router of the lowest tier below it
    std::int32_t tier;

    [[nodiscard]] bool covers(std::int32_t router, std::int32_t below) const {
      return lowest <= router && router < lowest + below;
    }
  };

  void note_ports(RouteState& state, std::int32_t from_port, std::int32_t to_port) const override;
  [[nodiscard]] bool has_one_choice(std::int32_t /*from*/, std::int32_t /*to*/) const override {
    return by_node_;
  }
  [[nodiscard]] bool is_above(const Place& place, std::int32_t router) const {
    return place.covers(router, tree_.tier(static_cast<std::size_t>(place.tier)).below);
  }
  [[nodiscard]] std::int32_t climb(const Place& place, const RouteState& state,
                                   std::uint64_t packet, const Loads& loads) const;
  [[nodiscard]] std::int32_t descend(const Place& place, const RouteState& state,
                                     std::uint64_t packet, const Loads& loads) const;
  [[nodiscard]] std::int32_t one_of(std::int32_t first, std::int32_t count, const RouteState& state,
                                    std::uint64_t packet, const Loads& loads) const;

  const Machine& machine_;
  Tree tree_;
  RoutingOptions options_;
  Up up_;
  bool by_node_;  // the port belongs to a node
  bool single_cables_ = true;  // at most one link between any two routers
  std::vector<Place> places_;  // [num_routers]
};

}  // namespace odonata
