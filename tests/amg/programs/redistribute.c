/* Plain BoomerAMG and every switch, forced at each level to each number of groups: solutions and
 * iterations beside each other, a line a case on rank 0. `redistribute N FUNCTIONS RELAX AGGRESSIVE
 * [REPEATS LEVEL GROUPS]` on a 3D Laplacian of N points a side of each rank, in slabs; with
 * FUNCTIONS 2 each point has two unknowns. With REPEATS one switch is set up and solved that many
 * times, and the memory left behind is printed. */
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <_hypre_parcsr_ls.h>
#include <odonata_amg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n, functions, relax, aggressive;
  HYPRE_IJMatrix ij;
  HYPRE_ParCSRMatrix A;
  HYPRE_ParVector b, x;
} Problem;

/* Rank 0 has a slab of no points if there are four ranks or more: it never has anything to do. */
static void assemble(Problem *p, int rank, int ranks) {
  const int n = p->n, f = p->functions, idle = ranks >= 4, slabs = ranks - idle;
  const int slab = rank - idle, depth = n * slabs;
  const int first = slab < 0 ? 0 : slab * n * n * n * f, rows = slab < 0 ? 0 : n * n * n * f;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, first + rows - 1, first, first + rows - 1, &p->ij);
  HYPRE_IJMatrixSetObjectType(p->ij, HYPRE_PARCSR);
  HYPRE_IJMatrixInitialize(p->ij);
  for (HYPRE_BigInt row = first; row < first + rows; ++row) {
    const int point = row / f, i = point % n, j = point / n % n, k = point / (n * n);
    HYPRE_BigInt columns[8];
    HYPRE_Complex values[8];
    HYPRE_Int size = 0;
    columns[size] = row, values[size++] = 6 + 0.01 * (row % 7);
    if (i > 0) columns[size] = row - f, values[size++] = -1;
    if (i < n - 1) columns[size] = row + f, values[size++] = -1;
    if (j > 0) columns[size] = row - f * n, values[size++] = -1;
    if (j < n - 1) columns[size] = row + f * n, values[size++] = -1;
    if (k > 0) columns[size] = row - f * n * n, values[size++] = -1;
    if (k < depth - 1) columns[size] = row + f * n * n, values[size++] = -1;
    if (f == 2) columns[size] = row ^ 1, values[size++] = 0.25;
    HYPRE_IJMatrixSetValues(p->ij, 1, &size, &row, columns, values);
  }
  HYPRE_IJMatrixAssemble(p->ij);
  HYPRE_IJMatrixGetObject(p->ij, (void **)&p->A);
}

static HYPRE_ParVector vector(HYPRE_ParCSRMatrix A) {
  hypre_ParVector *v = hypre_ParVectorCreate(
      MPI_COMM_WORLD, hypre_ParCSRMatrixGlobalNumRows(A), hypre_ParCSRMatrixRowStarts(A));
  hypre_ParVectorInitialize(v);
  return v;
}

static HYPRE_Solver configured(const Problem *p) {
  HYPRE_Solver amg;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetCoarsenType(amg, 10);
  HYPRE_BoomerAMGSetInterpType(amg, 6);
  HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
  HYPRE_BoomerAMGSetAggNumLevels(amg, p->aggressive);
  HYPRE_BoomerAMGSetNumFunctions(amg, p->functions);
  HYPRE_BoomerAMGSetRelaxType(amg, p->relax);
  HYPRE_BoomerAMGSetTol(amg, 0.0);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  return amg;
}

/* Solves with PCG to a tolerance; iterations, or -1 if the setup failed. */
static int solve(Problem *p, HYPRE_PtrToParSolverFcn solve_by, HYPRE_PtrToParSolverFcn setup_by,
                 HYPRE_Solver amg, double tolerance) {
  HYPRE_Solver pcg;
  HYPRE_Int iterations;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
  HYPRE_PCGSetMaxIter(pcg, 200);
  HYPRE_PCGSetTol(pcg, tolerance);
  HYPRE_PCGSetTwoNorm(pcg, 1);
  HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)solve_by, (HYPRE_PtrToSolverFcn)setup_by, amg);
  hypre_ParVectorSetConstantValues(p->b, 1.0);
  hypre_ParVectorSetConstantValues(p->x, 0.0);
  HYPRE_ParCSRPCGSetup(pcg, p->A, p->b, p->x);
  if (setup_by == odonata_amg_setup && odonata_amg_error(amg)[0]) {
    HYPRE_ClearAllErrors();
    HYPRE_ParCSRPCGDestroy(pcg);
    return -1;
  }
  HYPRE_ParCSRPCGSolve(pcg, p->A, p->b, p->x);
  HYPRE_PCGGetNumIterations(pcg, &iterations);
  HYPRE_ParCSRPCGDestroy(pcg);
  return (int)iterations;
}

/* With level -1 redistribution is off. */
static int redistributed(Problem *p, int level, int groups, double tolerance, int rank, int say) {
  HYPRE_Solver amg;
  odonata_amg_create(configured(p), &amg);
  if (level >= 0) odonata_amg_set_forced(amg, level, groups);
  const int iterations = solve(p, odonata_amg_solve, odonata_amg_setup, amg, tolerance);
  if (say && rank == 0 && iterations < 0) printf("error %s\n", odonata_amg_error(amg));
  odonata_amg_destroy(amg);
  return iterations;
}

static double apart(HYPRE_ParVector x, HYPRE_ParVector from) {
  const double size = hypre_ParVectorInnerProd(from, from);
  hypre_ParVectorAxpy(-1.0, from, x);
  return sqrt(hypre_ParVectorInnerProd(x, x) / size);
}

static void compare_all(Problem *p, int rank, int ranks) {
  HYPRE_Solver plain = configured(p);
  HYPRE_ParVector exact = vector(p->A);
  const int iterations = solve(p, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, plain, 1e-8);
  const int exactly = solve(p, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, plain, 1e-13);
  hypre_ParVectorCopy(p->x, exact);
  HYPRE_BoomerAMGDestroy(plain);
  if (rank == 0) printf("plain %d %d\n", iterations, exactly);
  const int off = redistributed(p, -1, 0, 1e-13, rank, 1);
  const double off_apart = apart(p->x, exact);
  if (rank == 0) printf("off %d %.3e\n", off, off_apart);
  for (int level = 0, found = 1; found; ++level) {
    found = 0;
    for (int groups = 1; groups <= ranks; ++groups) {
      const int needed = redistributed(p, level, groups, 1e-8, rank, 1);
      if (needed < 0) break;
      found = 1;
      redistributed(p, level, groups, 1e-13, rank, 0);
      const double difference = apart(p->x, exact);
      if (rank == 0) printf("%d:%d %d %.3e\n", level, groups, needed, difference);
    }
  }
  HYPRE_ParVectorDestroy(exact);
}

static long resident_kib(void) {
  long pages = 0, all;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return 4 * pages;
}

static int next_communicator(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const int number = MPI_Comm_c2f(copy);
  MPI_Comm_free(&copy);
  return number;
}

static void repeat(Problem *p, int times, int level, int groups, int rank) {
  long before = 0;
  int communicators = 0;
  for (int i = 0; i < times; ++i) {
    if (i == times / 5) before = resident_kib(), communicators = next_communicator();
    redistributed(p, level, groups, 1e-8, rank, 0);
  }
  long more = resident_kib() - before, most;
  int new_communicators = next_communicator() - communicators, most_new;
  MPI_Reduce(&more, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&new_communicators, &most_new, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("left %d communicators %ld KiB\n", most_new, most);
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Problem p = {.n = atoi(argv[1]), .functions = atoi(argv[2]), .relax = atoi(argv[3]),
               .aggressive = atoi(argv[4])};
  assemble(&p, rank, ranks);
  p.b = vector(p.A), p.x = vector(p.A);
  if (argc > 5)
    repeat(&p, atoi(argv[5]), atoi(argv[6]), atoi(argv[7]), rank);
  else
    compare_all(&p, rank, ranks);
  HYPRE_ParVectorDestroy(p.b);
  HYPRE_ParVectorDestroy(p.x);
  HYPRE_IJMatrixDestroy(p.ij);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
