#include "elasticity.hpp"

#include <HYPRE.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace odonata::amg {
namespace {

constexpr int length = 8;  // of the beam, in widths
constexpr int unknowns = 3;
constexpr double stiff = 50, soft = 1;  // lambda and mu of the two materials
constexpr double pull = -0.01;          // along z

using Corner = std::array<int, 3>;
using Gradient = std::array<double, 3>;

// A tetrahedron of a unit cube: its corners lie on a path along the three axes in some order.
struct Tetrahedron {
  std::array<Corner, 4> corners;
  std::array<Gradient, 4> gradients;  // of the linear functions that are 1 at each corner
};

constexpr Tetrahedron along(const std::array<std::size_t, 3>& axes) {
  Tetrahedron found{};
  for (std::size_t step = 0; step < 4; ++step) {
    if (step > 0) {
      found.corners[step] = found.corners[step - 1];
      found.corners[step][axes[step - 1]] = 1;
      found.gradients[step][axes[step - 1]] = 1;
    }
    if (step < 3) found.gradients[step][axes[step]] -= 1;
  }
  return found;
}

constexpr std::array<Tetrahedron, 6> tetrahedra_of_cube() {
  std::array<Tetrahedron, 6> found{};
  std::array<std::size_t, 3> axes{0, 1, 2};
  for (Tetrahedron& tetrahedron : found) {
    tetrahedron = along(axes);
    std::next_permutation(axes.begin(), axes.end());
  }
  return found;
}

// Blocks of a point with each of the 27 points around it and itself.
struct Stencil {
  struct Block {
    bool there = false;
    double values[unknowns][unknowns] = {};
  };
  std::array<Block, 27> blocks;

  static int place(const Corner& offset) {
    return offset[0] + 1 + 3 * (offset[1] + 1) + 9 * (offset[2] + 1);
  }
};

// Adds volume (lambda g_c h_d + mu (g_d h_c + (g . h) delta_cd)) of a tetrahedron.
void add(Stencil::Block& block, const Gradient& g, const Gradient& h, double weight) {
  block.there = true;
  const double product = g[0] * h[0] + g[1] * h[1] + g[2] * h[2];
  for (std::size_t c = 0; c < unknowns; ++c)
    for (std::size_t d = 0; d < unknowns; ++d)
      block.values[c][d] += weight * (g[c] * h[d] + g[d] * h[c] + (c == d ? product : 0));
}

// Adds the entries of a point with the others of a cube, of which it is a corner.
void add_cube(Stencil& stencil, const Corner& own, double weight) {
  static constexpr std::size_t corners = 4;
  static constexpr auto tetrahedra = tetrahedra_of_cube();
  for (const Tetrahedron& tetrahedron : tetrahedra)
    for (std::size_t p = 0; p < corners; ++p) {
      if (tetrahedron.corners[p] != own) continue;
      for (std::size_t q = 0; q < corners; ++q) {
        const Corner& other = tetrahedron.corners[q];
        const Corner offset{other[0] - own[0], other[1] - own[1], other[2] - own[2]};
        add(stencil.blocks[Stencil::place(offset)], tetrahedron.gradients[p],
            tetrahedron.gradients[q], weight);
      }
    }
}

template <class Action>
void for_each_corner(const Action& action) {
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x) action(Corner{x, y, z});
}

}  // namespace

Beam::Beam(int elements, const Triple& grid, MPI_Comm comm)
    : elements_(elements),
      sides_{length * elements + 1, elements + 1, elements + 1},
      grid_(grid),
      comm_(comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  box_ = box_of({rank % grid[0], rank / grid[0] % grid[1], rank / (grid[0] * grid[1])});
}

Beam::Box Beam::box_of(const Triple& place) const {
  Box box{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto start = [&](int part) {
      return int((long long)(sides_[axis]) * part / grid_[axis]);
    };
    box.first[axis] = start(place[axis]);
    box.end[axis] = start(place[axis] + 1);
  }
  return box;
}

// The inverse of box_of.
Triple Beam::owner_of(const Point& point) const {
  Triple place{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    place[axis] = int(((long long)(grid_[axis]) * (point[axis] + 1) - 1) / sides_[axis]);
  return place;
}

HYPRE_BigInt Beam::first_point_of(const Box& box) const {
  const HYPRE_BigInt rows =
      HYPRE_BigInt(sides_[0]) * box.first[1] + HYPRE_BigInt(box.size(1)) * box.first[0];
  return HYPRE_BigInt(sides_[0]) * sides_[1] * box.first[2] + box.size(2) * rows;
}

HYPRE_BigInt Beam::number_of(const Point& point) const {
  const Box box = box_of(owner_of(point));
  const HYPRE_BigInt layer = point[2] - box.first[2], line = point[1] - box.first[1];
  return first_point_of(box) + point[0] - box.first[0] + box.size(0) * (line + box.size(1) * layer);
}

bool Beam::is_inside(const Point& point) const {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (point[axis] < 0 || point[axis] >= sides_[axis]) return false;
  return true;
}

HYPRE_BigInt Beam::end_row() const {
  return first_row() + HYPRE_BigInt(unknowns) * box_.size(0) * box_.size(1) * box_.size(2);
}

template <class Action>
void Beam::for_each_point(const Action& action) const {
  for (int z = box_.first[2]; z < box_.end[2]; ++z)
    for (int y = box_.first[1]; y < box_.end[1]; ++y)
      for (int x = box_.first[0]; x < box_.end[0]; ++x) action(Point{x, y, z});
}

HYPRE_IJMatrix Beam::matrix() const {
  const HYPRE_BigInt first = first_row(), last = end_row() - 1;
  HYPRE_IJMatrix found = nullptr;
  HYPRE_IJMatrixCreate(comm_, first, last, first, last, &found);
  HYPRE_IJMatrixSetObjectType(found, HYPRE_PARCSR);
  constexpr HYPRE_Int neighbors = 15;  // with itself, on the path of some tetrahedron
  const std::vector<HYPRE_Int> sizes(std::size_t(last + 1 - first), unknowns * neighbors);
  HYPRE_IJMatrixSetRowSizes(found, sizes.data());
  HYPRE_IJMatrixInitialize(found);
  for_each_point([&](const Point& point) { set_rows(found, point); });
  HYPRE_IJMatrixAssemble(found);
  return found;
}

void Beam::set_rows(HYPRE_IJMatrix matrix, const Point& point) const {
  Stencil stencil;
  const bool clamped = point[0] == 0;
  const double volume = 1.0 / 6 / elements_;  // h^3 / 6, over h^2 of the gradients
  for_each_corner([&](const Corner& own) {
    const Point cube{point[0] - own[0], point[1] - own[1], point[2] - own[2]};
    if (clamped || !is_inside(cube) || !is_inside({cube[0] + 1, cube[1] + 1, cube[2] + 1})) return;
    add_cube(stencil, own, volume * (cube[0] < length / 2 * elements_ ? stiff : soft));
  });
  const HYPRE_BigInt number = number_of(point);
  for (HYPRE_BigInt c = 0; c < unknowns; ++c) {
    const HYPRE_BigInt row = unknowns * number + c;
    std::vector<HYPRE_BigInt> columns;
    std::vector<HYPRE_Complex> values;
    const auto add_block = [&](const Corner& offset) {
      const Stencil::Block& block = stencil.blocks[Stencil::place(offset)];
      const Point other{point[0] + offset[0], point[1] + offset[1], point[2] + offset[2]};
      if (!block.there || other[0] == 0) return;  // the clamped end does not move
      for (HYPRE_BigInt d = 0; d < unknowns; ++d) {
        columns.push_back(unknowns * number_of(other) + d);
        values.push_back(block.values[c][d]);
      }
    };
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) add_block({x, y, z});
    if (clamped) columns.push_back(row), values.push_back(1);
    HYPRE_Int size = HYPRE_Int(columns.size());
    HYPRE_IJMatrixSetValues(matrix, 1, &size, &row, columns.data(), values.data());
  }
}

// Each triangle of the pulled end gives a third of its area to each corner.
HYPRE_IJVector Beam::load() const {
  HYPRE_IJVector found = nullptr;
  HYPRE_IJVectorCreate(comm_, first_row(), end_row() - 1, &found);
  HYPRE_IJVectorSetObjectType(found, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(found);
  const double third = pull / 6 / elements_ / elements_;
  for_each_point([&](const Point& point) {
    int triangles = 0;
    for_each_corner([&](const Corner& own) {
      const Point cube{point[0] - own[0], point[1] - own[1], point[2] - own[2]};
      if (point[0] + 1 < sides_[0] || own[0] == 0 || !is_inside(cube) ||
          !is_inside({cube[0] + 1, cube[1] + 1, cube[2] + 1}))
        return;
      triangles += own[1] == own[2] ? 2 : 1;  // the diagonal belongs to both triangles
    });
    for (HYPRE_BigInt c = 0; c < unknowns; ++c) {
      const HYPRE_BigInt row = unknowns * number_of(point) + c;
      const HYPRE_Complex value = c == 2 ? third * triangles : 0;
      HYPRE_IJVectorSetValues(found, 1, &row, &value);
    }
  });
  HYPRE_IJVectorAssemble(found);
  return found;
}

Triple grid_of_beam(const Options& options, int ranks) {
  const int n = options.elements;
  const std::array<double, 3> sides{length * n + 1.0, n + 1.0, n + 1.0};
  const double rows = unknowns * sides[0] * sides[1] * sides[2];
  if (rows > double(std::numeric_limits<HYPRE_BigInt>::max()))
    throw UsageError("--elements: more rows than this hypre can count: " + std::to_string(n) +
                     " (build hypre with --enable-mixedint)");
  const auto fits = [&](const Triple& grid) {
    return grid[0] <= sides[0] && grid[1] <= sides[1] && grid[2] <= sides[2] &&
           (long long)(grid[0]) * grid[1] * grid[2] == ranks;
  };
  if (options.ranks_grid) {
    if (!fits(*options.ranks_grid))
      throw UsageError("--ranks-grid: does not fit " + std::to_string(ranks) +
                       " ranks, or is finer than the points of the beam");
    return *options.ranks_grid;
  }
  Triple best{};
  double least = std::numeric_limits<double>::infinity();
  for (int z = 1; z <= ranks; ++z)
    for (int y = 1; ranks % z == 0 && y <= ranks / z; ++y) {
      const Triple grid{ranks / z / y, y, z};
      if (!fits(grid)) continue;
      const double surface = grid[0] / sides[0] + grid[1] / sides[1] + grid[2] / sides[2];
      if (surface < least) least = surface, best = grid;
    }
  if (best[0] == 0)
    throw UsageError("--elements: the beam has too few points for " + std::to_string(ranks) +
                     " ranks: " + std::to_string(n) + "; allowed: more");
  return best;
}

}  // namespace odonata::amg
