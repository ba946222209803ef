// Routing on machines with groups: dragonfly and Aries.
//
// A route is  [local...] global [local...] global [local...]  with at most two global links.
// Virtual channels rise along it, so no cycle of waiting packets is possible:
//
//     global link:  vc = global links taken before
//     local link:   vc = stage offset + local links taken in this group since the last global one
//
// A stage is the part of the route in one group; it has at most `span` local links (1 in a fully
// connected group, 2 in a grid), and twice that in the source group under PAR, which may change
// its mind there.
#pragma once

#include <span>

#include "odonata/machine/families/grouped/groups.hpp"
#include "odonata/machine/routing/detours.hpp"
#include "odonata/machine/routing/gateways.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

class GroupRouting final : public Routing {
 public:
  GroupRouting(const Machine& machine, const Groups& groups, const RoutingOptions& options);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int link_class) const override;
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override;
  /// Routers of a group that are alike in their ways out of it are counted together: the time
  /// grows with routers times groups.
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override;

  /// Global links from one group to another, by number of the link.
  [[nodiscard]] std::span<const Gateway> gateways(int from_group, int to_group) const {
    return gateways_.between(from_group, to_group);
  }

 private:
  struct Place {  // of a router
    std::int32_t group, row, column, first_link;
  };
  struct Alike {  // routers of a group with the same local distances to some others
    std::vector<std::uint8_t> away;  // [others]
    std::int64_t nodes;              // of all of them
  };
  struct Plan {  // the start of a route that could be taken
    std::int32_t gateway;  // no_gateway: stays in the group
    std::int32_t link;     // first link
    int hops;              // estimate for the whole route
  };

  void decide(RouteState& state, std::int32_t router, std::uint64_t packet,
              const Loads& loads) const;
  void choose_exits(RouteState state, std::int32_t router, std::vector<Choice>& out) const;
  void choose_local(RouteState state, std::int32_t router, std::int32_t to,
                    std::vector<Choice>& out) const;
  void choose_start(const RouteState& state, std::int32_t router, std::vector<Choice>& out) const;
  [[nodiscard]] std::int32_t first_gateway(std::int32_t router) const;
  Gateway exit_to(std::int32_t group, const RouteState& state, std::int32_t router,
                  std::uint64_t packet) const;
  std::int32_t toward(std::int32_t goal, const RouteState& state, std::int32_t router,
                      std::uint64_t packet) const;
  std::int32_t draw_middle(std::int32_t here, std::int32_t there, const Draws& draws,
                           std::uint64_t counter) const;
  Plan plan_minimal(const RouteState& state, std::int32_t router, const Draws& draws) const;
  Plan plan_middle(const RouteState& state, std::int32_t router, std::int32_t middle,
                   const Draws& draws) const;
  std::int64_t waiting(const Plan& plan, const Loads& loads) const;
  Gateway minimal_gateway(std::int32_t router, std::int32_t to, std::uint64_t bits) const;
  std::int32_t local_link(std::int32_t router, std::int32_t to, std::uint64_t bits) const;
  [[nodiscard]] bool has_one_choice(std::int32_t from, std::int32_t to) const override;
  [[nodiscard]] bool has_one_local_route(std::int32_t from, std::int32_t to) const;
  [[nodiscard]] int local_distance(std::int32_t a, std::int32_t b) const;
  [[nodiscard]] int gateway_cost(std::int32_t router, const Gateway& gateway,
                                 std::int32_t to) const;
  [[nodiscard]] std::vector<Alike> alike(std::int32_t group,
                                         const std::vector<std::int32_t>& others,
                                         const std::vector<std::int64_t>& nodes) const;
  void add_between(int from_group, int to_group, const std::vector<std::int64_t>& nodes,
                   Distances& found) const;
  [[nodiscard]] int local_vc(const RouteState& state) const;
  Hop take_local(RouteState& state, std::int32_t link) const;
  [[nodiscard]] int most_globals() const {
    return policy_ != Policy::minimal && groups_ > 1 ? 2 : groups_ > 1 ? 1 : 0;
  }
  /// Does the router have this link? Known without looking at the link.
  [[nodiscard]] bool has_link(std::int32_t router, std::int32_t link) const {
    const Place* at = &place(router);
    return link >= at[0].first_link && link < at[1].first_link;
  }
  [[nodiscard]] const Place& place(std::int32_t router) const { return places_[router]; }
  [[nodiscard]] const Link& link(std::int32_t i) const { return machine_.links[i]; }

  const Machine& machine_;
  RoutingOptions options_;
  Policy policy_;
  Groups shape_;
  int groups_;
  int span_;        // most local links of a stage
  int first_span_;  // of the stage in the source group
  std::vector<Place> places_;  // and one behind the last
  Gateways gateways_;
  std::vector<bool> leads_out_;         // [classes]: some link of the class leaves its group
};

}  // namespace odonata
