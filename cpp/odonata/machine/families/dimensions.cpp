#include "odonata/machine/families/dimensions.hpp"

#include <numeric>

#include "odonata/machine/families/basics.hpp"

namespace odonata {

namespace {

std::int32_t routers_of(const std::vector<std::int32_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int32_t{1}, std::multiplies<>());
}

}  // namespace

std::string dimension_name(std::size_t dimension) {
  static const std::string letters = "xyzwvu";
  if (dimension < letters.size()) return {letters[dimension]};
  return "d" + std::to_string(dimension + 1);
}

std::vector<std::string> dimension_axes(std::size_t dimensions) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dimensions; ++d) names.push_back(dimension_name(d));
  return names;
}

std::vector<Level> nested_levels(const std::vector<std::int32_t>& sizes) {
  std::vector<Level> levels;
  std::string name;
  std::int32_t block = 1;
  for (std::size_t d = 0; d + 1 < sizes.size(); ++d) {
    name += dimension_name(d);
    block *= sizes[d];
    const char* kind = d == 0 ? "-line" : d == 1 ? "-plane" : "-block";
    levels.push_back(level_of_blocks(name + kind, routers_of(sizes), block));
  }
  return levels;
}

std::vector<std::int32_t> GridTopology::position(std::int32_t router) const {
  std::vector<std::int32_t> at;
  for (const std::int32_t size : sizes_) {
    at.push_back(router % size);
    router /= size;
  }
  return at;
}

std::vector<Level> GridTopology::partitions(const Machine& machine) const {
  std::vector<Level> across;
  for (std::size_t d = 0; d < sizes_.size(); ++d)
    across.push_back({dimension_name(d) + "-plane", sizes_[d], {}});
  for (std::int32_t r = 0; r < machine.num_routers(); ++r) {
    const std::vector<std::int32_t> at = position(r);
    for (std::size_t d = 0; d < at.size(); ++d) across[d].of_router.push_back(at[d]);
  }
  return across;
}

void check_per_dimension(const std::string& what, const std::vector<std::int32_t>& values,
                         std::size_t dimensions) {
  if (values.empty()) return;
  const auto count = static_cast<std::int64_t>(dimensions);
  check_range(what + ": number of dimensions", static_cast<std::int64_t>(values.size()), count,
              count);
}

void check_counts(const std::vector<std::int32_t>& sizes, std::int64_t nodes_per_router,
                  std::int64_t ports) {
  std::int64_t routers = 1;
  for (const std::int32_t size : sizes) {
    routers *= size;
    check_range("shape.sizes: number of routers", routers, 1, most_routers);
  }
  check_range("shape: number of nodes", routers * nodes_per_router, 1, most_nodes);
  check_range("shape: number of links", routers * ports, 1, most_links);
}

}  // namespace odonata
