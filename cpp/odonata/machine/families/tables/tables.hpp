// Machines that are routed by shortest-path tables: the common part of star and graph.
#pragma once

#include "odonata/machine/topology.hpp"

namespace odonata {

/// Routers without coordinates. Where some are cut off, `partial`, there are routes among the rest.
class TableTopology final : public Topology {
 public:
  explicit TableTopology(bool partial = false) : partial_(partial) {}

  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;

 private:
  bool partial_;
};

}  // namespace odonata
