// Routers in a grid of any number of dimensions: the names of these, and blocks of routers. Router
// (x, y, z, ...) of a grid of sizes X, Y, Z, ... has the number  x + X (y + Y (z + ...)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "odonata/machine/topology.hpp"

namespace odonata {

inline constexpr std::size_t most_dimensions = 16;

/// Name of a dimension, from 0: x, y, z, w, v, u, then d7, d8, ...
[[nodiscard]] std::string dimension_name(std::size_t dimension);

/// Names of the first dimensions, x first.
[[nodiscard]] std::vector<std::string> dimension_axes(std::size_t dimensions);

/// Levels of locality from near to far: lines along the first dimension, planes of the first two,
/// and so on.
[[nodiscard]] std::vector<Level> nested_levels(const std::vector<std::int32_t>& sizes);

/// Throws UserError unless a parameter has as many values as there are dimensions, or none.
void check_per_dimension(const std::string& what, const std::vector<std::int32_t>& values,
                         std::size_t dimensions);

/// Throws UserError if such a grid has more routers, nodes or links than a machine may have;
/// `ports` is the number of links of a router, including its nodes'.
void check_counts(const std::vector<std::int32_t>& sizes, std::int64_t nodes_per_router,
                  std::int64_t ports);

/// Routers at (x, y, z, ...).
class GridTopology : public Topology {
 public:
  explicit GridTopology(std::vector<std::int32_t> sizes) : sizes_(std::move(sizes)) {}

  [[nodiscard]] std::vector<std::string> axes() const override {
    return dimension_axes(sizes_.size());
  }
  [[nodiscard]] std::vector<std::int32_t> position(std::int32_t router) const override;
  /// A cut across any one dimension: routers that have its coordinate in common stay together.
  [[nodiscard]] std::vector<Level> partitions(const Machine& machine) const override;

 private:
  std::vector<std::int32_t> sizes_;
};

}  // namespace odonata
