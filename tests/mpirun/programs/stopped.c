// Is stopped in the middle, with requests of every kind open on every rank: rank 1 fails.
#include <mpi.h>

int main(int argc, char** argv) {
  int rank = 0, value[4] = {0};
  MPI_Request requests[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; ++i)  // the second stays when the first has given its number back
    MPI_Irecv(&value[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Isend(&rank, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[3]);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  if (rank == 1) return 3;
  MPI_Recv(value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
