/* Between two groups a rank that has the data of the other group continues, whatever ranks of its
 * own group do: rank 2 is late and asks for the time, and ranks 3 and 4 don't wait for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LATE = 1 << 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int second = rank >= 2, others = second ? 2 : 3;
  MPI_Comm local, between;
  MPI_Comm_split(MPI_COMM_WORLD, second, 0, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, second ? 0 : 2, 0, &between);
  int mine[3] = {rank, rank, rank}, theirs[3], counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
  for (int turn = 0; turn < 4; ++turn) {
    if (rank == 2) {
      char* block = calloc(2, LATE);
      MPI_Sendrecv(block, LATE, MPI_CHAR, 2, 0, block + LATE, LATE, MPI_CHAR, 2, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      free(block);
      MPI_Wtime();
    }
    if (turn % 2 == 0)
      MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, between);
    else
      MPI_Alltoallv(mine, counts, places, MPI_INT, theirs, counts, places, MPI_INT, between);
    for (int i = 0; i < others; ++i)
      if (theirs[i] != (second ? i : 2 + i)) printf("rank %d got %d\n", rank, theirs[i]);
    if (rank != 2) MPI_Wtime();
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&local);
  MPI_Finalize();
  return 0;
}
