/* A ring allgather of 1 KiB a rank, as a program writes it: size - 1 times MPI_Sendrecv, or, with
   an argument, MPI_Irecv, MPI_Isend and MPI_Waitall. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { bytes = 1024 };

static void exchange(char* mine, int right, char* next, int left) {
  MPI_Request both[2];
  MPI_Irecv(next, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(mine, bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  char* blocks = calloc(size, bytes);
  int mine = rank;
  for (int step = 1; step < size; ++step) {
    const int next = (mine + size - 1) % size;
    char* from = blocks + (size_t)mine * bytes;
    char* into = blocks + (size_t)next * bytes;
    if (argc > 1)
      exchange(from, right, into, left);
    else
      MPI_Sendrecv(from, bytes, MPI_BYTE, right, 0, into, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    mine = next;
  }
  if (rank == 0) printf("%.9f s\n", MPI_Wtime());
  free(blocks);
  MPI_Finalize();
  return 0;
}
