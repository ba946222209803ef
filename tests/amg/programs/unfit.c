/* What the library says of a hypre that does not fit: a line of rank and error for each of create,
 * setup and solve, which all fail; nothing where it fits. */
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>
#include <odonata_amg.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank;
  HYPRE_Solver boomeramg, amg;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  HYPRE_Init();
  HYPRE_BoomerAMGCreate(&boomeramg);
  if (odonata_amg_create(boomeramg, &amg)) {
    printf("%d %s\n", rank, odonata_amg_error(amg));
    odonata_amg_set_forced(amg, 1, 1);
    if (odonata_amg_setup(amg, NULL, NULL, NULL)) printf("%d %s\n", rank, odonata_amg_error(amg));
    if (odonata_amg_solve(amg, NULL, NULL, NULL)) printf("%d %s\n", rank, odonata_amg_error(amg));
  }
  odonata_amg_destroy(amg);
  HYPRE_ClearAllErrors();
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
