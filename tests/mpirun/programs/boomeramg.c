/* PCG with BoomerAMG on a 7-point Laplacian, n points a rank: prints the hierarchy, the iterations
   and the residual to the last digit.   boomeramg [points a side of a rank]
   Nothing is global, so that ranks may be fibers of one process. */
#include <stdio.h>
#include <stdlib.h>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

struct Grid {
  int points, sides[3], place[3]; /* of a rank; ranks; mine among them */
};

static HYPRE_BigInt number(const struct Grid* grid, const int* at) {
  const int points = grid->points;
  HYPRE_BigInt owner = 0, local = 0;
  for (int d = 2; d >= 0; --d) {
    owner = owner * grid->sides[d] + at[d] / points;
    local = local * points + at[d] % points;
  }
  return owner * points * points * points + local;
}

static void fill(HYPRE_IJMatrix matrix, const struct Grid* grid) {
  const int n = grid->points, *place = grid->place;
  for (int l = 0; l < n * n * n; ++l) {
    const int at[3] = {place[0] * n + l % n, place[1] * n + l / n % n, place[2] * n + l / n / n};
    HYPRE_BigInt row = number(grid, at), columns[7];
    double values[7];
    int count = 0;
    columns[count] = row;
    values[count++] = 6.0;
    for (int d = 0; d < 3; ++d)
      for (int step = -1; step <= 1; step += 2) {
        int other[3] = {at[0], at[1], at[2]};
        other[d] += step;
        if (other[d] < 0 || other[d] >= grid->sides[d] * n) continue;
        columns[count] = number(grid, other);
        values[count++] = -1.0;
      }
    HYPRE_IJMatrixSetValues(matrix, 1, &count, &row, columns, values);
  }
}

/* Room for each row, so that hypre sets nothing aside. */
static void size(HYPRE_IJMatrix matrix, const struct Grid* grid) {
  const int n = grid->points, rows = n * n * n;
  int* inner = malloc(2 * rows * sizeof *inner);
  for (int l = 0; l < rows; ++l) {
    const int at[3] = {l % n, l / n % n, l / n / n};
    inner[l] = 1;
    inner[rows + l] = 0;
    for (int d = 0; d < 3; ++d) {
      const int low = at[d] > 0, high = at[d] < n - 1;
      inner[l] += low + high;
      inner[rows + l] += !low && grid->place[d] > 0;
      inner[rows + l] += !high && grid->place[d] < grid->sides[d] - 1;
    }
  }
  HYPRE_IJMatrixSetDiagOffdSizes(matrix, inner, inner + rows);
  free(inner);
}

static HYPRE_ParVector vector(HYPRE_IJVector* ij, HYPRE_BigInt first, int rows, double value) {
  HYPRE_ParVector out;
  HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, first + rows - 1, ij);
  HYPRE_IJVectorSetObjectType(*ij, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(*ij);
  for (int i = 0; i < rows; ++i) {
    const HYPRE_BigInt row = first + i;
    HYPRE_IJVectorSetValues(*ij, 1, &row, &value);
  }
  HYPRE_IJVectorAssemble(*ij);
  HYPRE_IJVectorGetObject(*ij, (void**)&out);
  return out;
}

int main(int argc, char** argv) {
  int rank, ranks, iterations;
  double residual;
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct Grid grid = {argc > 1 ? atoi(argv[1]) : 8, {0, 0, 0}, {0, 0, 0}};
  MPI_Dims_create(ranks, 3, grid.sides);
  grid.place[0] = rank % grid.sides[0];
  grid.place[1] = rank / grid.sides[0] % grid.sides[1];
  grid.place[2] = rank / grid.sides[0] / grid.sides[1];

  const int rows = grid.points * grid.points * grid.points;
  const HYPRE_BigInt first = (HYPRE_BigInt)rank * rows;
  HYPRE_IJMatrix ij;
  HYPRE_IJVector ib, ix;
  HYPRE_ParCSRMatrix A;
  HYPRE_Solver amg, pcg;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, first + rows - 1, first, first + rows - 1, &ij);
  HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
  size(ij, &grid);
  HYPRE_IJMatrixInitialize(ij);
  fill(ij, &grid);
  HYPRE_IJMatrixAssemble(ij);
  HYPRE_IJMatrixGetObject(ij, (void**)&A);
  HYPRE_ParVector b = vector(&ib, first, rows, 1.0), x = vector(&ix, first, rows, 0.0);

  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetPrintLevel(amg, 1);
  HYPRE_BoomerAMGSetCoarsenType(amg, 10);
  HYPRE_BoomerAMGSetInterpType(amg, 6);
  HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
  HYPRE_BoomerAMGSetAggNumLevels(amg, 1);
  HYPRE_BoomerAMGSetCycleRelaxType(amg, 3, 1);
  HYPRE_BoomerAMGSetCycleRelaxType(amg, 4, 2);
  HYPRE_BoomerAMGSetRelaxOrder(amg, 0);
  HYPRE_BoomerAMGSetTol(amg, 0.0);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
  HYPRE_PCGSetTol(pcg, 1e-8);
  HYPRE_PCGSetMaxIter(pcg, 100);
  HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                      (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, amg);
  HYPRE_ParCSRPCGSetup(pcg, A, b, x);
  HYPRE_ParCSRPCGSolve(pcg, A, b, x);
  HYPRE_PCGGetNumIterations(pcg, &iterations);
  HYPRE_PCGGetFinalRelativeResidualNorm(pcg, &residual);
  if (rank == 0) printf("iterations %d residual %.17g\n", iterations, residual);

  HYPRE_ParCSRPCGDestroy(pcg);
  HYPRE_BoomerAMGDestroy(amg);
  HYPRE_IJMatrixDestroy(ij);
  HYPRE_IJVectorDestroy(ib);
  HYPRE_IJVectorDestroy(ix);
  MPI_Barrier(MPI_COMM_WORLD);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
