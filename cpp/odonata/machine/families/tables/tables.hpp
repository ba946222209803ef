// Machines that are routed by shortest-path tables: the common part of star and graph.
#pragma once

#include "odonata/machine/topology.hpp"

namespace odonata {

/// Routers without coordinates.
class TableTopology final : public Topology {
 public:
  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;
};

}  // namespace odonata
