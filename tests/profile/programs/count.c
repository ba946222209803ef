#include <mpi.h>
#include <stdlib.h>

/* Counted by hand in tests/profile/test_recorder.py. */
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  char *out = calloc(1, 100000), *in = calloc(1, 100000);
  double sum[4] = {0}, part[4] = {1, 2, 3, 4};
  MPI_Request requests[2];
  MPI_Pcontrol(7);
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(in, 100000, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1000, MPI_BYTE, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(part, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Pcontrol(8);
  /* A communicator in which ranks have another order. */
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
  int place;
  MPI_Comm_rank(turned, &place);
  MPI_Datatype column;
  MPI_Type_vector(10, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  if (place == 0) MPI_Send(out, 2, column, 1, 5, turned);
  if (place == 1) MPI_Recv(in, 20, MPI_INT, 0, 5, turned, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Send_init(out, 8, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 8, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Sendrecv(out, 65, MPI_BYTE, next, 2, in, 65, MPI_BYTE, previous, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Send(out, 50, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Bcast(out, 300, MPI_BYTE, 0, MPI_COMM_WORLD);
  int *counts = calloc(size, sizeof *counts), *places = calloc(size, sizeof *places);
  for (int i = 0; i < size; ++i) counts[i] = i + 1, places[i] = i * (i + 1) / 2;
  MPI_Gatherv(out, rank + 1, MPI_BYTE, in, counts, places, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(out, rank + 1, MPI_BYTE, in, counts, places, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Alltoall(out, 7, MPI_BYTE, in, 7, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return 0;
}
