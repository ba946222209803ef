/* Copies a communicator if there is an argument. */
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  if (argc > 1) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
