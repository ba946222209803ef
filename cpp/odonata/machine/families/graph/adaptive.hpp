// Adaptive routing without detours: at each router any link of a shortest route, by the bytes that
// wait for it. There is one virtual channel, so packets may wait for each other in a cycle unless
// the shortest routes of the graph go up and down a tree.
#pragma once

#include <vector>

#include "odonata/machine/families/tables/hops.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

class AdaptiveShortest final : public Routing {
 public:
  AdaptiveShortest(const Machine& machine, const RoutingOptions& options, bool partial);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int /*link_class*/) const override { return 1; }
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override {
    return hops_.between(from, to);
  }
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override {
    return hops_.distances(nodes);
  }
  [[nodiscard]] bool reaches(std::int32_t from_port, std::int32_t to_port) const override {
    return hops_.reach(machine_.port_router[from_port], machine_.port_router[to_port]);
  }
  [[nodiscard]] bool may_lock() const override { return true; }

 private:
  template <class Act>
  void each_closer(std::int32_t router, std::int32_t to, const Act& act) const {
    const auto r = static_cast<std::size_t>(router);
    for (std::int32_t l = machine_.first_link[r]; l < machine_.first_link[r + 1]; ++l)
      if (hops_.between(machine_.links[l].to, to) + 1 == hops_.between(router, to)) act(l);
  }

  const Machine& machine_;
  RoutingOptions options_;
  Hops hops_;
  std::vector<std::int32_t> goals_;  // routers with ports
};

}  // namespace odonata
