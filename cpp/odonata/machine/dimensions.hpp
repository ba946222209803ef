// Routers in a grid of any number of dimensions: the names of these, and blocks of routers. Router
// (x, y, z, ...) of a grid of sizes X, Y, Z, ... has the number  x + X (y + Y (z + ...)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

inline constexpr std::size_t most_dimensions = 16;

/// Name of a dimension, from 0: x, y, z, w, v, u, then d7, d8, ...
[[nodiscard]] std::string dimension_name(std::size_t dimension);

/// Names of the first dimensions, x first.
[[nodiscard]] std::vector<std::string> dimension_axes(std::size_t dimensions);

/// Levels of locality from near to far: lines along the first dimension, planes of the first two,
/// and so on.
[[nodiscard]] std::vector<Level> nested_levels(const std::vector<std::int32_t>& sizes);

/// For each dimension the partition into routers that have one coordinate in common.
[[nodiscard]] std::vector<Level> planes_across(const std::vector<std::int32_t>& sizes);

/// Throws UserError unless a parameter has as many values as there are dimensions, or none.
void check_per_dimension(const std::string& what, const std::vector<std::int32_t>& values,
                         std::size_t dimensions);

/// Throws UserError unless the classes of links have these names, in this order.
void check_class_names(const std::vector<LinkClass>& classes, const std::vector<std::string>& names,
                       std::size_t dimensions);

}  // namespace odonata
