/* All ranks poll for a message that is never sent, so many times. */
#include <mpi.h>

int main(int argc, char** argv) {
  int flag;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 1000; ++i)
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
