// The grid of a torus: coordinates of routers, the ways round, and the links along each dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "odonata/machine/families/dimensions.hpp"

namespace odonata {

/// One of the two ways along a dimension: to higher coordinates, or to lower ones.
enum class Heading : std::uint8_t { none, up, down };

/// Links that leave a router: those up the first dimension, cable by cable, those down it, those up
/// the second, and so on. The ends of a line that is no ring lack the links that would close it.
class Lattice {
 public:
  struct Dimension {
    std::int32_t size = 0;    // routers along it
    bool wraps = true;        // links close it to a ring
    std::int32_t cables = 1;  // links a direction between two neighbours
  };

  explicit Lattice(std::vector<Dimension> dimensions);

  [[nodiscard]] std::size_t dimensions() const { return dimensions_.size(); }
  [[nodiscard]] const Dimension& dimension(std::size_t d) const { return dimensions_[d]; }
  [[nodiscard]] std::int32_t num_routers() const { return routers_; }

  [[nodiscard]] std::int32_t coordinate(std::int32_t router, std::size_t d) const {
    return coordinates_[at(router, d)];
  }
  /// Is there a neighbour on this side?
  [[nodiscard]] bool has(std::int32_t router, std::size_t d, Heading heading) const {
    const std::int32_t end = heading == Heading::up ? dimensions_[d].size - 1 : 0;
    return dimensions_[d].wraps || coordinate(router, d) != end;
  }
  /// The neighbour on this side.
  [[nodiscard]] std::int32_t neighbour(std::int32_t router, std::size_t d, Heading heading) const;
  /// First link to the neighbour on this side, among the links that leave the router.
  [[nodiscard]] std::int32_t first_link(std::int32_t router, std::size_t d, Heading heading) const {
    return links_[2 * at(router, d) + (heading == Heading::down ? 1 : 0)];
  }
  /// The first dimension from `from` on in which two routers differ; `dimensions()` if none does.
  [[nodiscard]] std::size_t first_difference(std::int32_t a, std::int32_t b,
                                             std::size_t from) const {
    while (from < dimensions() && coordinate(a, from) == coordinate(b, from)) ++from;
    return from;
  }
  /// Hops from one coordinate to another if all go up (down: exchange the two).
  [[nodiscard]] std::int32_t steps_up(std::size_t d, std::int32_t from, std::int32_t to) const {
    return to >= from ? to - from : to - from + dimensions_[d].size;
  }
  /// Hops of a shortest way from one coordinate to another.
  [[nodiscard]] std::int32_t distance(std::size_t d, std::int32_t from, std::int32_t to) const;
  /// The shorter way from one coordinate to another; `none` if both ways round are as long.
  [[nodiscard]] Heading shorter(std::size_t d, std::int32_t from, std::int32_t to) const;
  /// Can packets that go round this dimension wait for each other in a circle? No shortest way on a
  /// ring of three has two links.
  [[nodiscard]] bool circular(std::size_t d) const {
    return dimensions_[d].wraps && dimensions_[d].size > 3;
  }

 private:
  [[nodiscard]] std::size_t at(std::int32_t router, std::size_t d) const {
    return static_cast<std::size_t>(router) * dimensions_.size() + d;
  }

  std::vector<Dimension> dimensions_;
  std::vector<std::int32_t> strides_;
  std::int32_t routers_ = 1;
  std::vector<std::uint16_t> coordinates_;  // [routers, dimensions]
  std::vector<std::int32_t> links_;         // [routers, dimensions, up and down]
};

class TorusTopology final : public GridTopology {
 public:
  /// `class_dimension`: the dimension of each class of links, injection and ejection left out.
  TorusTopology(const std::vector<std::int32_t>& sizes, Lattice lattice,
                std::vector<std::size_t> class_dimension)
      : GridTopology(sizes),
        lattice_(std::move(lattice)),
        class_dimension_(std::move(class_dimension)) {}

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  /// Dimension of the router-to-router links of a class.
  [[nodiscard]] std::size_t dimension_of(int link_class) const {
    return class_dimension_[static_cast<std::size_t>(link_class - 2)];
  }

  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override;
  /// Loads under dimension order: ties of the two ways round are halved.
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override;

 private:
  Lattice lattice_;
  std::vector<std::size_t> class_dimension_;
};

}  // namespace odonata
