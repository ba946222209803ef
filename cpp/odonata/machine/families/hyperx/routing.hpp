// Routing on a HyperX: dimension after dimension, in each one hop, or two by way of another router.
//
// Virtual channels: the first hop along a dimension takes 0, the second one 1. Dimensions are
// crossed in order, so no cycle of waiting packets is possible.
//
//     minimal   one hop along each dimension in which source and destination differ
//     valiant   in each of these by way of any other router of the line, which may be the goal
//     ugal      minimal or valiant for all dimensions, decided at the source
//     par       minimal or valiant, decided anew at the start of each dimension
#pragma once

#include "odonata/machine/families/hyperx/grid.hpp"
#include "odonata/machine/routing/detours.hpp"

namespace odonata {

class HyperxRouting final : public Routing {
 public:
  HyperxRouting(const Machine& machine, Grid grid, const RoutingOptions& options);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int link_class) const override;
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override;
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override;

 private:
  struct Plan {  // one way to cross the rest of the grid, or a dimension
    std::int32_t first, second;  // links along the next dimension; -1: there is no second one
    int hops;
  };

  [[nodiscard]] bool has_one_choice(std::int32_t from, std::int32_t to) const override;
  [[nodiscard]] std::int32_t middle(std::int32_t router, std::size_t d, const Draws& draws) const;
  [[nodiscard]] std::int32_t link(std::int32_t router, std::size_t d, std::int32_t to, int taken,
                                  const Draws& draws) const;
  [[nodiscard]] Plan plan(std::int32_t router, std::int32_t goal, std::size_t d, bool detours,
                          const Draws& draws) const;
  [[nodiscard]] bool prefers_detour(const RouteState& state, std::int32_t router, std::size_t d,
                                    const Draws& draws, const Loads& loads) const;
  [[nodiscard]] bool detours(RouteState& state, std::int32_t router, std::size_t d,
                             const Draws& draws, const Loads& loads) const;
  void choose_along(std::int32_t router, std::size_t d, int taken, bool stays,
                    std::vector<Choice>& out) const;

  const Machine& machine_;
  Grid grid_;
  RoutingOptions options_;
  Policy policy_;
};

}  // namespace odonata
