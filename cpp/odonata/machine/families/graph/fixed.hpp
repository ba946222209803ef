// Routing by forwarding tables: each pair of ports has one route. Lanes are chosen by the service
// level of the pair and the ways in and out of each router, as InfiniBand does it; so packets may
// wait for each other in a cycle, which count_routes finds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "odonata/machine/families/graph/routes.hpp"
#include "odonata/machine/families/tables/hops.hpp"
#include "odonata/machine/routing/routing.hpp"
#include "odonata/units/table.hpp"

namespace odonata {

class FixedRouting final : public Routing {
 public:
  /// `acyclic`: the rule of the tables excludes cycles of packets that wait for each other.
  FixedRouting(const Machine& machine, std::shared_ptr<const Routes> routes, bool acyclic);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  void fetch_hop(const RouteState& state, std::int32_t router) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int /*link_class*/) const override { return routes_->lanes; }
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override {
    return hops_.between(from, to);
  }
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override {
    return hops_.distances(nodes);
  }
  [[nodiscard]] bool reaches(std::int32_t from_port, std::int32_t to_port) const override;
  [[nodiscard]] std::shared_ptr<const RouteCounts> count_routes() const override;
  [[nodiscard]] bool may_lock() const override { return !acyclic_; }

 private:
  void note_ports(RouteState& state, std::int32_t from_port, std::int32_t to_port) const override;
  [[nodiscard]] bool has_one_choice(std::int32_t /*from*/, std::int32_t /*to*/) const override {
    return true;
  }
  [[nodiscard]] std::int32_t nearer(std::int32_t router, std::int32_t to) const;

  const Machine& machine_;
  std::shared_ptr<const Routes> routes_;  // all of which arrive
  Table<std::uint8_t> narrow_;  // the tables in bytes, or empty; most hops miss a cache here
  bool acyclic_;
  RouterPorts at_;
  Hops hops_;
};

}  // namespace odonata
