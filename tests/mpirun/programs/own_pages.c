/* Many ranks with many variables, of which each writes few. */
#include <mpi.h>
#include <stdio.h>

static int large[25 << 20];

int main(int count, char** words) {
  int rank, size, sum = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* mine = &large[(size_t)rank * 20000];
  *mine = rank;
  MPI_Allreduce(mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int others = 0;
  for (int i = rank - 3; i < rank + 3; ++i)
    if (i >= 0 && i < size && i != rank) others += large[(size_t)i * 20000];
  if (*mine != rank || others != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 0) printf("%d ranks have %d\n", size, sum);
  MPI_Finalize();
  return 0;
}
