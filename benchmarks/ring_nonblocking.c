/* The ring of ring.c with a call for each part of a step: MPI_Irecv, MPI_Isend and MPI_Waitall. */
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
    MPI_Request both[2];
    MPI_Irecv(blocks + (size_t)next * bytes, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(blocks + (size_t)mine * bytes, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    mine = next;
  }
  if (rank == 0) printf("%.9f s\n", MPI_Wtime());
  free(blocks);
  MPI_Finalize();
  return 0;
}
