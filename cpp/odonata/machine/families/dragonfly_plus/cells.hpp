// The shape of a Dragonfly+: cells of leaves and spines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "odonata/machine/topology.hpp"

namespace odonata {

/// Routers by cell; in a cell the leaves, which have the nodes, and behind them the spines:
///
///     router = first[cell] + index           leaves:  index < leaves[cell]
///
/// Every leaf of a cell is joined to every spine. Links that leave a router, in this order:
///
///     leaf     by spine, then by cable
///     spine    by leaf, then by cable | global
class Cells {
 public:
  struct Place {  // of a router
    std::int32_t cell, index;
    bool spine;
  };

  /// `leaves` has a number for each cell.
  Cells(const std::vector<std::int32_t>& leaves, std::int32_t spines, std::int32_t cables);

  [[nodiscard]] std::int32_t num_cells() const { return static_cast<std::int32_t>(leaves_.size()); }
  [[nodiscard]] std::int32_t num_routers() const { return first_.back(); }
  [[nodiscard]] std::int32_t leaves(std::int32_t cell) const { return leaves_[cell]; }
  [[nodiscard]] std::int32_t spines() const { return spines_; }
  /// Links between a leaf and a spine of its cell.
  [[nodiscard]] std::int32_t cables() const { return cables_; }
  /// Router of a leaf; leaves are numbered through all cells.
  [[nodiscard]] std::int32_t leaf(std::int32_t number) const { return leaf_router_[number]; }
  [[nodiscard]] std::int32_t num_leaves() const {
    return static_cast<std::int32_t>(leaf_router_.size());
  }
  /// Router of a leaf of a cell.
  [[nodiscard]] std::int32_t leaf_of(std::int32_t cell, std::int32_t index) const {
    return first_[cell] + index;
  }
  /// Router of a spine of a cell.
  [[nodiscard]] std::int32_t spine_of(std::int32_t cell, std::int32_t index) const {
    return first_[cell] + leaves_[cell] + index;
  }
  [[nodiscard]] const Place& place(std::int32_t router) const { return places_[router]; }
  [[nodiscard]] std::int32_t cell(std::int32_t router) const { return places_[router].cell; }
  /// Number of a spine among the spines of its cell.
  [[nodiscard]] std::int32_t spine_number(std::int32_t router) const {
    return places_[router].index - leaves_[places_[router].cell];
  }
  /// Links that leave a router for others of its cell.
  [[nodiscard]] std::int32_t local_links(std::int32_t router) const {
    return (places_[router].spine ? leaves_[places_[router].cell] : spines_) * cables_;
  }
  /// Links of a shortest way inside a cell: one between a leaf and a spine, else two.
  [[nodiscard]] int local_distance(std::int32_t a, std::int32_t b) const {
    return a == b ? 0 : places_[a].spine == places_[b].spine ? 2 : 1;
  }

 private:
  std::vector<std::int32_t> leaves_;  // [cells]
  std::int32_t spines_, cables_;
  std::vector<std::int32_t> first_;  // router of each cell, and one behind the last
  std::vector<Place> places_;        // [routers]
  std::vector<std::int32_t> leaf_router_;
};

/// Routers at (cell, level, index): leaves have level 1, spines level 2, as in a fat tree.
class CellTopology final : public Topology {
 public:
  explicit CellTopology(Cells cells) : cells_(std::move(cells)) {}

  [[nodiscard]] std::vector<std::string> axes() const override {
    return {"cell", "level", "index"};
  }
  [[nodiscard]] std::vector<std::int32_t> position(std::int32_t router) const override;
  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;

  /// The cells.
  [[nodiscard]] Level level() const;

 private:
  Cells cells_;
};

}  // namespace odonata
