// Routing of graphs: by the tables that they bring, by an engine's, or by shortest paths.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "odonata/machine/families/graph/routes.hpp"
#include "odonata/machine/families/tables/tables.hpp"
#include "odonata/machine/routing/policies.hpp"

namespace odonata {

/// The policies of graphs, the plain one first.
[[nodiscard]] const std::vector<PolicyAbout>& graph_policies();

/// Routers without coordinates, and perhaps tables of routes. Where some are cut off, `partial`,
/// there are routes among the rest.
class GraphTopology final : public Topology {
 public:
  explicit GraphTopology(std::shared_ptr<const Routes> routes, bool partial = false)
      : partial_(partial), shortest_(partial), routes_(std::move(routes)) {}

  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;

 private:
  [[nodiscard]] std::shared_ptr<const Routes> routes_of(const Machine& machine,
                                                        const std::string& policy) const;

  bool partial_;
  TableTopology shortest_;
  std::shared_ptr<const Routes> routes_;  // null: it brings none
};

}  // namespace odonata
