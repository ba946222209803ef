// Machines whose routers form groups: the common part of dragonfly and Aries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "odonata/machine/topology.hpp"

namespace odonata {

/// The shape of a machine whose routers form groups.
///
/// Inside a group routers stand in a grid of `rows` x `columns`, all-to-all along each row and
/// each column: a dragonfly's fully connected group is one row, an Aries group is 6 x 16.
///
///     router = (group * rows + row) * columns + column
///
/// Links that leave a router, in this order:
///     columns-1 row links (by column) | (rows-1) * column_links (by row, then cable) | global
struct Groups {
  int groups = 0;
  int rows = 0;
  int columns = 0;
  int column_links = 1;  // parallel cables between two routers of a column (Aries black: 3)

  [[nodiscard]] int routers_per_group() const { return rows * columns; }
};

/// Routers at (group, row, column).
class GroupTopology : public Topology {
 public:
  explicit GroupTopology(const Groups& groups) : groups_(groups) {}

  [[nodiscard]] const Groups& groups() const { return groups_; }
  [[nodiscard]] std::vector<std::string> axes() const override {
    return {"group", "row", "column"};
  }
  [[nodiscard]] std::vector<std::int32_t> position(std::int32_t router) const override;
  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;

 private:
  Groups groups_;
};

/// Gives a machine the shape and its levels: chassis, where a group has several rows, and group.
void set_groups(Machine& machine, std::shared_ptr<const GroupTopology> topology);

}  // namespace odonata
