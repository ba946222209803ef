/* Goes wrong as its argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fill_stack(int depth) {
  volatile char bytes[4096];
  bytes[0] = (char)depth;
  return depth == 0 ? 0 : fill_stack(depth - 1) + bytes[0];
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int rank, size, word = 0, words[10] = {0};
  if (strcmp(how, "no-init") == 0) return 0;
  if (strcmp(how, "early") == 0) return 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 2) printf("rank %d is about to %s\n", rank, how);
  if (argc > 2) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "crash") == 0 && rank == 2) *(volatile int*)0 = 1;
  if (strcmp(how, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(how, "exit") == 0 && rank == 1) exit(0);
  if (strcmp(how, "exit-5") == 0 && rank == 1) exit(5);
  if (strcmp(how, "deep") == 0 && rank == 1) fill_stack(200);
  if (strcmp(how, "hang") == 0) pause(); /* sleep() returns at once, in simulated time */
  if (strcmp(how, "spin") == 0)
    for (;;) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "truncate") == 0 && rank == 0) MPI_Send(words, 10, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (strcmp(how, "truncate") == 0 && rank == 1)
    MPI_Recv(words, 5, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(how, "root") == 0) MPI_Bcast(words, 1, MPI_INT, rank == 2, MPI_COMM_WORLD);
  if (strcmp(how, "bcast") == 0) MPI_Bcast(words, rank == 1 ? 5 : 10, MPI_INT, 0, MPI_COMM_WORLD);
  if (strcmp(how, "scatter") == 0)
    MPI_Scatter(words, 2, MPI_INT, words + 8, rank == 1 ? 1 : 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (strcmp(how, "allreduce") == 0)
    MPI_Allreduce(MPI_IN_PLACE, words, rank == 1 ? 5 : 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(how, "count") == 0 && rank == 3) MPI_Send(words, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (strcmp(how, "tag") == 0 && rank == 3) MPI_Send(words, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
  if (strcmp(how, "deadlock") == 0)
    MPI_Recv(&word, 1, MPI_INT, (rank + 1) % size, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return strcmp(how, "late") == 0 && rank == 3 ? 7 : 0;
}
