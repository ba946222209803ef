#pragma once

#include "options.hpp"

#include <HYPRE_IJ_mv.h>
#include <mpi.h>

namespace odonata::amg {

// A cantilever beam of 8 x 1 x 1 in linear elasticity, of cubes with side 1/n, each of six linear
// tetrahedra around its diagonal from the lowest to the highest corner. Half of the beam (x < 4)
// has lambda = mu = 50, the other half 1. It is clamped at x = 0, where rows equal the identity's,
// and pulled by (0, 0, -0.01) at x = 8. There are 3 (8n + 1) (n + 1)^2 unknowns, the three of a
// point one after the other; a rank owns a box of points, numbered with x fastest, and computes its
// rows for itself.
class Beam {
 public:
  // `grid` ranks along x, y and z; see grid_of_beam.
  Beam(int elements, const Triple& grid, MPI_Comm comm);

  HYPRE_IJMatrix matrix() const;
  HYPRE_IJVector load() const;

 private:
  using Point = std::array<int, 3>;

  // A box of points: from `first` to before `end`.
  struct Box {
    Point first, end;
    int size(int axis) const { return end[std::size_t(axis)] - first[std::size_t(axis)]; }
  };

  Box box_of(const Triple& place) const;
  Triple owner_of(const Point& point) const;
  HYPRE_BigInt first_point_of(const Box& box) const;
  HYPRE_BigInt number_of(const Point& point) const;
  bool is_inside(const Point& point) const;
  HYPRE_BigInt first_row() const { return 3 * first_point_of(box_); }
  HYPRE_BigInt end_row() const;
  template <class Action>
  void for_each_point(const Action& action) const;
  void set_rows(HYPRE_IJMatrix matrix, const Point& point) const;

  int elements_;
  Point sides_;  // points along x, y, z
  Triple grid_;
  MPI_Comm comm_;
  Box box_;
};

// The number of ranks along x, y and z: as given, or so that boxes have little surface. Throws
// UsageError where the beam has too few points for the ranks, or hypre can't count the rows.
Triple grid_of_beam(const Options& options, int ranks);

}  // namespace odonata::amg
