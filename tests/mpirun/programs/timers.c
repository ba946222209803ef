// Steps of one message, each with so many readings of a clock: simulated microseconds of a step.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const int steps = atoi(argv[1]), timers = atoi(argv[2]), of_system = atoi(argv[3]);
  int rank, ranks;
  double out = 1, in;
  struct timespec time;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double begin = MPI_Wtime();
  for (int i = 0; i < steps; i++) {
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &in, 1, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int j = 0; j < timers; j++)
      if (of_system)
        clock_gettime(CLOCK_MONOTONIC, &time);
      else
        MPI_Wtime();
  }
  if (rank == 0) printf("%.6f\n", 1e6 * (MPI_Wtime() - begin) / steps);
  return MPI_Finalize();
}
