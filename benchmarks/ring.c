/* A ring allgather of 1 KiB a rank, as a program writes it: size - 1 times MPI_Sendrecv. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { bytes = 1024 };
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  char* blocks = calloc(size, bytes);
  int mine = rank;
  for (int step = 1; step < size; ++step) {
    const int next = (mine + size - 1) % size;
    MPI_Sendrecv(blocks + (size_t)mine * bytes, bytes, MPI_BYTE, right, 0,
                 blocks + (size_t)next * bytes, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    mine = next;
  }
  if (rank == 0) printf("%.9f s\n", MPI_Wtime());
  free(blocks);
  MPI_Finalize();
  return 0;
}
