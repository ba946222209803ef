/* An ordinary hypre program, PCG with BoomerAMG on a 2D Laplacian of n x n points, in which BoomerAMG
 * moves its coarse levels to fewer ranks where a model of the machine says that this is faster.
 * Three lines of the usual program have changed; they are marked.
 *
 *     mpicc redistribute_amg.c -I/usr/include/hypre -I$VIRTUAL_ENV/include/odonata \
 *         -L$VIRTUAL_ENV/lib/odonata -lodonata_amg -lHYPRE -o redistribute_amg
 *     mpirun -n 8 ./redistribute_amg 200 machine.toml
 *
 * Without a machine file alpha, beta and gamma have the values published for Eos, a Cray XC30. */
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <odonata_amg.h>
#include <stdio.h>
#include <stdlib.h>

static HYPRE_IJMatrix laplacian(int n, int first, int end) {
  HYPRE_IJMatrix A;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, end - 1, first, end - 1, &A);
  HYPRE_IJMatrixSetObjectType(A, HYPRE_PARCSR);
  HYPRE_IJMatrixInitialize(A);
  for (HYPRE_BigInt row = first; row < end; ++row) {
    HYPRE_BigInt columns[5];
    HYPRE_Complex values[5];
    HYPRE_Int size = 0;
    columns[size] = row, values[size++] = 4;
    if (row >= n) columns[size] = row - n, values[size++] = -1;
    if (row % n > 0) columns[size] = row - 1, values[size++] = -1;
    if (row % n < n - 1) columns[size] = row + 1, values[size++] = -1;
    if (row + n < n * n) columns[size] = row + n, values[size++] = -1;
    HYPRE_IJMatrixSetValues(A, 1, &size, &row, columns, values);
  }
  HYPRE_IJMatrixAssemble(A);
  return A;
}

static HYPRE_IJVector constant(int first, int end, double value) {
  HYPRE_IJVector x;
  HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, end - 1, &x);
  HYPRE_IJVectorSetObjectType(x, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(x);
  for (HYPRE_BigInt row = first; row < end; ++row) HYPRE_IJVectorSetValues(x, 1, &row, &value);
  HYPRE_IJVectorAssemble(x);
  return x;
}

/* The machine, read by one rank for all. */
static odonata_amg_model model_of(const char *machine, int rank) {
  odonata_amg_model model;
  char why[256] = "";
  odonata_amg_model_defaults(&model);
  model.alpha = 0.238e-6, model.beta = 0.858e-9, model.gamma = 0.416e-6, model.hops = 5;
  model.ranks_per_node = 16;
  if (rank == 0 && machine && odonata_amg_read_machine(machine, &model, why, sizeof why)) {
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Bcast(&model, sizeof model, MPI_BYTE, 0, MPI_COMM_WORLD);
  return model;
}

int main(int argc, char **argv) {
  int rank, ranks, n = argc > 1 ? atoi(argv[1]) : 200;
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int first = (int)((long long)n * n * rank / ranks);
  const int end = (int)((long long)n * n * (rank + 1) / ranks);
  HYPRE_IJMatrix ij_A = laplacian(n, first, end);
  HYPRE_IJVector ij_b = constant(first, end, 1), ij_x = constant(first, end, 0);
  HYPRE_ParCSRMatrix A;
  HYPRE_ParVector b, x;
  HYPRE_IJMatrixGetObject(ij_A, (void **)&A);
  HYPRE_IJVectorGetObject(ij_b, (void **)&b);
  HYPRE_IJVectorGetObject(ij_x, (void **)&x);

  HYPRE_Solver pcg, precond, amg;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
  HYPRE_PCGSetMaxIter(pcg, 1000);
  HYPRE_PCGSetTol(pcg, 1e-8);
  HYPRE_PCGSetTwoNorm(pcg, 1);
  HYPRE_BoomerAMGCreate(&precond);
  HYPRE_BoomerAMGSetCoarsenType(precond, 10);
  HYPRE_BoomerAMGSetInterpType(precond, 6);
  HYPRE_BoomerAMGSetPMaxElmts(precond, 4);
  HYPRE_BoomerAMGSetRelaxType(precond, 6);
  HYPRE_BoomerAMGSetTol(precond, 0.0);
  HYPRE_BoomerAMGSetMaxIter(precond, 1);
  const odonata_amg_model model = model_of(argc > 2 ? argv[2] : NULL, rank);
  odonata_amg_create(precond, &amg), odonata_amg_set_model(amg, &model); /* first: new */
  HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)odonata_amg_solve,      /* was HYPRE_BoomerAMG... */
                      (HYPRE_PtrToSolverFcn)odonata_amg_setup, amg);     /* second */
  HYPRE_ParCSRPCGSetup(pcg, A, b, x);
  HYPRE_ParCSRPCGSolve(pcg, A, b, x);

  HYPRE_Int iterations;
  HYPRE_Real residual;
  HYPRE_PCGGetNumIterations(pcg, &iterations);
  HYPRE_PCGGetFinalRelativeResidualNorm(pcg, &residual);
  if (rank == 0) {
    odonata_amg_print(amg, stdout);
    printf("%d iterations, residual %.1e\n", (int)iterations, residual);
  }

  HYPRE_ParCSRPCGDestroy(pcg);
  odonata_amg_destroy(amg); /* third: was HYPRE_BoomerAMGDestroy(precond) */
  HYPRE_IJMatrixDestroy(ij_A);
  HYPRE_IJVectorDestroy(ij_b);
  HYPRE_IJVectorDestroy(ij_x);
  HYPRE_Finalize();
  MPI_Finalize();
  return residual <= 1e-8 ? 0 : 1;
}
