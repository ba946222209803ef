#include "problem.hpp"

#include "elasticity.hpp"
#include "matrix.hpp"
#include "vectors.hpp"

#include <_hypre_parcsr_ls.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace odonata::amg {
namespace {

std::string written(const Triple& sides) {
  return std::to_string(sides[0]) + "x" + std::to_string(sides[1]) + "x" + std::to_string(sides[2]);
}

// Most ranks along the axis with the fewest points.
Triple near_cube(const Triple& points, int ranks) {
  Triple sides{}, grid{};
  std::array<std::size_t, 3> axes{0, 1, 2};
  MPI_Dims_create(ranks, 3, sides.data());  // largest first
  std::sort(sides.begin(), sides.end(), std::greater<>());
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  for (std::size_t i = 0; i < 3; ++i) grid[axes[i]] = sides[i];
  return grid;
}

HYPRE_ParCSRMatrix laplacian(const Options& options, const Triple& grid, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const Triple place{rank % grid[0], rank / grid[0] % grid[1], rank / (grid[0] * grid[1])};
  const auto side = [&](std::size_t d) { return HYPRE_BigInt(grid[d]) * options.points[d]; };
  const bool wide = options.problem == Problem::laplace27;
  double values[4] = {wide ? 26.0 : 6.0, -1.0, -1.0, -1.0};
  const auto generate = wide ? GenerateLaplacian27pt : GenerateLaplacian;
  return generate(comm, side(0), side(1), side(2), grid[0], grid[1], grid[2], place[0], place[1],
                  place[2], values);
}

HYPRE_ParVector filled_vector(HYPRE_ParCSRMatrix A, double value) {
  Vector vector = vector_like(A);
  hypre_ParVectorSetConstantValues(vector.get(), value);
  return vector.release();
}

}  // namespace

Triple grid_of_ranks(const Options& options, int ranks) {
  if (options.problem == Problem::elasticity) return grid_of_beam(options, ranks);
  const Triple grid = options.ranks_grid.value_or(near_cube(options.points, ranks));
  long long product = 1;
  for (const int side : grid) product *= side;
  if (product != ranks)
    throw UsageError("--ranks-grid: does not fit the ranks: " + written(grid) +
                     "; allowed: three numbers whose product is " + std::to_string(ranks));
  const long double most = std::numeric_limits<HYPRE_BigInt>::max();
  long double rows = ranks;
  for (const int side : options.points) rows *= side;
  if (rows > most)
    throw UsageError("--points: more rows than this hypre can count: " + written(options.points) +
                     " on " + std::to_string(ranks) +
                     " ranks (build hypre with --enable-mixedint)");
  return grid;
}

System::System(const Options& options, const Triple& grid, MPI_Comm comm) {
  if (options.is_laplacian()) {
    A = laplacian(options, grid, comm);
  } else if (options.problem == Problem::elasticity) {
    const Beam beam(options.elements, grid, comm);
    assembled_ = beam.matrix();
    load_ = beam.load();
  } else {
    assembled_ = read_matrix(options.problem_name, options.functions, comm);
  }
  if (assembled_) HYPRE_IJMatrixGetObject(assembled_, reinterpret_cast<void**>(&A));
  if (load_)
    HYPRE_IJVectorGetObject(load_, reinterpret_cast<void**>(&b));
  else
    b = filled_vector(A, 1.0);
  x = filled_vector(A, 0.0);
  if (!options.matrix_output.empty()) write(options.matrix_output);
}

System::~System() {
  load_ ? HYPRE_IJVectorDestroy(load_) : HYPRE_ParVectorDestroy(b);
  HYPRE_ParVectorDestroy(x);
  assembled_ ? HYPRE_IJMatrixDestroy(assembled_) : HYPRE_ParCSRMatrixDestroy(A);
}

void System::write(const std::string& name) const {
  hypre_ParCSRMatrixPrintIJ(A, 0, 0, name.c_str());
  hypre_ParVectorPrintIJ(b, 0, (name + ".b").c_str());
  int bad = HYPRE_GetError() != 0;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, hypre_ParCSRMatrixComm(A));
  HYPRE_ClearAllErrors();
  if (bad) throw UsageError("--matrix-output: can't be written: " + name);
}

}  // namespace odonata::amg
