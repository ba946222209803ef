// The process grid of a halo exchange: which rank has which place in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

/// A process grid with X, Y, Z, ... places along its sides.
///
///     place = x + X (y + Y (z + Z ...))
class ProcessGrid {
 public:
  explicit ProcessGrid(std::vector<std::int32_t> sides);

  [[nodiscard]] std::size_t dimensions() const { return sides_.size(); }
  [[nodiscard]] std::int32_t side(std::size_t d) const { return sides_[d]; }
  [[nodiscard]] std::int32_t num_places() const { return strides_.back(); }

  [[nodiscard]] std::int32_t coordinate(std::int32_t place, std::size_t d) const {
    return place / strides_[d] % sides_[d];
  }
  /// The place whose coordinates these are.
  [[nodiscard]] std::int32_t place(const std::vector<std::int32_t>& coordinates) const;
  /// The place one step on (or back) along a dimension, round and round if the grid is periodic;
  /// -1 behind the end of a grid that is not, and where a side has one place.
  [[nodiscard]] std::int32_t neighbour(std::int32_t place, std::size_t d, bool onward,
                                       bool periodic) const;

 private:
  std::vector<std::int32_t> sides_;
  std::vector<std::int32_t> strides_;  // [dimensions + 1]
};

/// How ranks take the places of a grid.
///
///     plain   along x, then y, then z, as they are numbered
///     cart    as MPI_Cart_create without reordering: the last coordinate runs fastest
///     custom  the grid lies on the machine: a step in the grid is a step along an axis of it
enum class Distribution : std::uint8_t { plain, cart, custom };

/// The distribution of that name; throws UserError.
[[nodiscard]] Distribution distribution_named(const std::string& name);

/// Rank at each place. `nodes` has the node of each rank; only `custom` looks at them: the sides of
/// the grid are taken for the machine's axes in order, axes along which the job has one router are
/// left out, and ranks of a router stand in a row along one side, which counts them and not
/// routers. Throws UserError if the job's routers are no block that the grid matches. [places]
[[nodiscard]] std::vector<std::int32_t> distribute(Distribution how, const ProcessGrid& grid,
                                                   const Machine& machine,
                                                   const std::vector<std::int32_t>& nodes);

}  // namespace odonata
