#include <mpi.h>
#include <signal.h>

/* Sends, then dies: earlier calls are in the profile. */
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; ++i) {
    if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  raise(SIGKILL);
  return 0;
}
