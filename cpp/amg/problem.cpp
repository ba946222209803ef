#include "problem.hpp"

#include "matrix.hpp"

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
  Triple sides{}, axes{0, 1, 2}, grid{};
  MPI_Dims_create(ranks, 3, sides.data());  // largest first
  std::sort(sides.begin(), sides.end(), std::greater<>());
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return points[a] < points[b]; });
  for (int i = 0; i < 3; ++i) grid[axes[i]] = sides[i];
  return grid;
}

HYPRE_ParCSRMatrix laplacian(const Options& options, const Triple& grid, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const Triple place{rank % grid[0], rank / grid[0] % grid[1], rank / (grid[0] * grid[1])};
  const auto side = [&](int d) { return HYPRE_BigInt(grid[d]) * options.points[d]; };
  const bool wide = options.problem == Problem::laplace27;
  double values[4] = {wide ? 26.0 : 6.0, -1.0, -1.0, -1.0};
  const auto generate = wide ? GenerateLaplacian27pt : GenerateLaplacian;
  return generate(comm, side(0), side(1), side(2), grid[0], grid[1], grid[2], place[0], place[1],
                  place[2], values);
}

HYPRE_ParVector vector_like(HYPRE_ParCSRMatrix A, double value) {
  hypre_ParVector* vector =
      hypre_ParVectorCreate(hypre_ParCSRMatrixComm(A), hypre_ParCSRMatrixGlobalNumRows(A),
                            hypre_ParCSRMatrixRowStarts(A));
  hypre_ParVectorInitialize(vector);
  hypre_ParVectorSetConstantValues(vector, value);
  return vector;
}

}  // namespace

Triple grid_of_ranks(const Options& options, int ranks) {
  const Triple grid = options.ranks_grid.value_or(near_cube(options.points, ranks));
  long long product = 1;
  for (const int side : grid) product *= side;
  if (product != ranks)
    throw UsageError("--ranks-grid: not that of the ranks: " + written(grid) +
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
  if (options.is_grid()) {
    A = laplacian(options, grid, comm);
  } else {
    read_ = read_matrix(options.problem_name, options.functions, comm);
    HYPRE_IJMatrixGetObject(read_, reinterpret_cast<void**>(&A));
  }
  b = vector_like(A, 1.0);
  x = vector_like(A, 0.0);
}

System::~System() {
  HYPRE_ParVectorDestroy(b);
  HYPRE_ParVectorDestroy(x);
  read_ ? HYPRE_IJMatrixDestroy(read_) : HYPRE_ParCSRMatrixDestroy(A);
}

}  // namespace odonata::amg
