/* The loops of the usual benchmarks; each rank prints what each took, in picoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { repetitions = 3, most = 1 << 16 };

int main(int argc, char** argv) {
  static const int sizes[] = {0, 8, 1024, 8192, 65536};
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  char *from = calloc(size, most), *into = calloc(size, most);
  for (int s = 0; s < 5; ++s) {
    const int bytes = sizes[s];
    for (int what = 0; what < 7; ++what) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int i = 0; i < repetitions; ++i) {
        MPI_Request requests[4];
        switch (what) {
          case 0:
            if (rank == 0) {
              MPI_Send(from, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
              MPI_Recv(into, bytes, MPI_BYTE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
              MPI_Recv(into, bytes, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
              MPI_Send(from, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            }
            break;
          case 1:
            MPI_Sendrecv(from, bytes, MPI_BYTE, right, 2, into, bytes, MPI_BYTE, left, 2,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
          case 2:
            MPI_Irecv(into, bytes, MPI_BYTE, left, 3, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(into + most, bytes, MPI_BYTE, right, 3, MPI_COMM_WORLD, &requests[1]);
            MPI_Isend(from, bytes, MPI_BYTE, right, 3, MPI_COMM_WORLD, &requests[2]);
            MPI_Isend(from, bytes, MPI_BYTE, left, 3, MPI_COMM_WORLD, &requests[3]);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
            break;
          case 3: MPI_Allreduce(from, into, bytes, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD); break;
          case 4:
            MPI_Allgather(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, MPI_COMM_WORLD);
            break;
          case 5: MPI_Alltoall(from, bytes, MPI_BYTE, into, bytes, MPI_BYTE, MPI_COMM_WORLD); break;
          case 6: MPI_Bcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); break;
        }
      }
      printf("%d %d %d %lld\n", bytes, what, rank, (long long)((MPI_Wtime() - begin) * 1e12 + 0.5));
    }
  }
  free(from);
  free(into);
  MPI_Finalize();
  return 0;
}
