#include <mpi.h>
#include <stdio.h>

/* More calls than the first 4 MiB of a log hold; ends with a status of its own. */
enum { pairs = 40000 };

int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < pairs; ++i) {
    MPI_Send(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) puts("to the end"), fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);  /* a launcher may end all when the first has ended */
  MPI_Finalize();
  return 7;
}
