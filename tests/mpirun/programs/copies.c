/* Copies a communicator, or makes one of all ranks in reverse, if an argument says so. */
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Comm copy;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) {
    if (argv[1][0] == 'c') {
      MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &copy);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* all ranks have theirs at once */
    MPI_Comm_free(&copy);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
