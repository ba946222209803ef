// The grid of a HyperX: coordinates of routers, and the links along each dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "odonata/machine/families/dimensions.hpp"

namespace odonata {

/// Links that leave a router: those along the first dimension by coordinate, then cable by cable,
/// then those along the second, and so on.
class Grid {
 public:
  struct Dimension {
    std::int32_t size;        // coordinates
    std::int32_t stride;      // routers between two neighbouring coordinates
    std::int32_t cables;      // parallel links between two routers
    std::int32_t first_link;  // links of a router along earlier dimensions
  };

  Grid(const std::vector<std::int32_t>& sizes, const std::vector<std::int32_t>& cables);

  [[nodiscard]] std::size_t dimensions() const { return dimensions_.size(); }
  [[nodiscard]] const Dimension& dimension(std::size_t d) const { return dimensions_[d]; }
  [[nodiscard]] std::int32_t num_routers() const { return routers_; }

  [[nodiscard]] std::int32_t coordinate(std::int32_t router, std::size_t d) const {
    return router / dimensions_[d].stride % dimensions_[d].size;
  }
  /// The router that differs from this one in one coordinate.
  [[nodiscard]] std::int32_t moved(std::int32_t router, std::size_t d, std::int32_t to) const {
    return router + (to - coordinate(router, d)) * dimensions_[d].stride;
  }
  /// Number of the link to another coordinate, among the links that leave the router.
  [[nodiscard]] std::int32_t link(std::int32_t router, std::size_t d, std::int32_t to,
                                  std::int32_t cable) const {
    const Dimension& along = dimensions_[d];
    const std::int32_t other = to - (to > coordinate(router, d) ? 1 : 0);
    return along.first_link + other * along.cables + cable;
  }
  /// The first dimension from `from` on in which two routers differ; `dimensions()` if none does.
  [[nodiscard]] std::size_t first_difference(std::int32_t a, std::int32_t b,
                                             std::size_t from) const {
    while (from < dimensions() && coordinate(a, from) == coordinate(b, from)) ++from;
    return from;
  }

 private:
  std::vector<Dimension> dimensions_;
  std::int32_t routers_ = 1;
};

class HyperxTopology final : public GridTopology {
 public:
  HyperxTopology(const std::vector<std::int32_t>& sizes, Grid grid)
      : GridTopology(sizes), grid_(std::move(grid)) {}

  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;

 private:
  Grid grid_;
};

}  // namespace odonata
