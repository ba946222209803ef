/* Passes numbers round a ring; prints what came, and MPI_Wtime of all of it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, mine, got = -1, sum = 0;
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double begin = MPI_Wtime();
  mine = rank;
  for (int i = 0; i < rounds; ++i) {
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine = got;
  }
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d has %d, sum %d, %.9f s\n", rank, size, mine, sum, MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
