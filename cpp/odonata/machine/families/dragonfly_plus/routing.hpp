// Routing on a Dragonfly+: up to a spine, over a global link, down to a leaf; a detour goes by way
// of another cell, where it turns at the spine that it reaches if this spine leads on, else at a
// leaf.
//
//     minimal   any global link between the two cells; inside a cell any spine, drawn alike
//     valiant   by way of any third cell; packets that stay in their cell take no detour
//     ugal-l    minimal or valiant, decided at the source's leaf
//     ugal-g    the same; it sees the bytes that wait for the global link, too
//     par       ugal-l, and at the source's spine once more while the route is minimal: the
//               spine's own links to a third cell against its link to the destination's
//
// Virtual channels, as in the paper: 0 up to the cell of a detour and down there, 1 from where the
// packet turns. So channels have an order in which every packet rises:
//
//     up 0, global 0, down 0, up 1, global 1, down 1
#pragma once

#include <span>

#include "odonata/machine/families/dragonfly_plus/cells.hpp"
#include "odonata/machine/routing/detours.hpp"
#include "odonata/machine/routing/gateways.hpp"

namespace odonata {

class CellRouting final : public Routing {
 public:
  CellRouting(const Machine& machine, Cells cells, const RoutingOptions& options);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int link_class) const override;
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override;

  /// Global links from the cell of a router to another, by number: all of them from a leaf; from a
  /// spine its own, if it has any there.
  [[nodiscard]] std::span<const Gateway> gateways(std::int32_t router, std::int32_t cell) const;

 private:
  struct Plan {  // the start of a route that could be taken
    Gateway gateway;
    std::int32_t link;  // first link
    int hops;  // of the whole route
  };

  void decide(RouteState& state, std::int32_t router, std::uint64_t packet,
              const Loads& loads) const;
  bool prefers_minimal(RouteState& state, std::int32_t router, const Gateway& exit,
                       const Draws& draws, const Loads& loads) const;
  [[nodiscard]] std::int32_t draw_middle(std::int32_t here, std::int32_t there,
                                         const RouteState& state, const Draws& draws) const;
  [[nodiscard]] Plan plan(const RouteState& state, std::int32_t router, const Gateway& gateway,
                          const Draws& draws) const;
  [[nodiscard]] std::int64_t cost(const Plan& plan, const Loads& loads) const;
  [[nodiscard]] std::int32_t toward(std::int32_t goal, const RouteState& state, std::int32_t router,
                                    const Draws& draws) const;
  [[nodiscard]] bool has_one_choice(std::int32_t from, std::int32_t to) const override;
  Hop take_local(RouteState& state, std::int32_t link) const;
  [[nodiscard]] int most_globals() const {
    const int cells = cells_.num_cells();
    return policy_ != Policy::minimal && cells > 2 ? 2 : cells > 1 ? 1 : 0;
  }

  const Machine& machine_;
  Cells cells_;
  RoutingOptions options_;
  Policy policy_;
  Gateways gateways_;
};

}  // namespace odonata
