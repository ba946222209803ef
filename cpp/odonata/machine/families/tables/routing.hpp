// Routing by shortest-path tables, for machines without groups: star and graph.
//
// The virtual channel is the number of router-to-router links taken before, so channels rise
// along every route and no cycle of waiting packets is possible on any graph. Non-minimal routes
// go by way of a random router, minimally to it and minimally on.
#pragma once

#include "odonata/machine/families/tables/hops.hpp"
#include "odonata/machine/routing/detours.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

class TableRouting final : public Routing {
 public:
  static constexpr int most_vcs = 32;
  static constexpr int most_exact = 128;  // routers up to which `widened` keeps destinations

  /// Throws UserError if the graph is not connected (unless `partial`), or too large or too long
  /// for the tables.
  TableRouting(const Machine& machine, const RoutingOptions& options, bool partial = false);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int link_class) const override;
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override {
    return hops_.between(from, to);
  }
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override {
    return hops_.distances(nodes);
  }
  [[nodiscard]] bool reaches(std::int32_t from_port, std::int32_t to_port) const override {
    return hops_.reach(machine_.port_router[from_port], machine_.port_router[to_port]);
  }
  [[nodiscard]] int diameter() const { return hops_.diameter(); }

 private:
  void choose_toward(const RouteState& state, std::int32_t router, std::int32_t goal,
                     std::vector<Choice>& out) const;
  void decide(RouteState& state, std::int32_t router, std::uint64_t packet,
              const Loads& loads) const;
  std::int32_t toward(std::int32_t router, std::int32_t goal, std::uint64_t bits) const;

  const Machine& machine_;
  RoutingOptions options_;
  Policy policy_;
  std::size_t num_routers_;
  Hops hops_;
};

}  // namespace odonata
