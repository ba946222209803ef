/* Reads clocks between computations, beside requests of several kinds that are under way, as
 * programs with timers do. Rank 0 computes least, so that messages reach it and leave it meanwhile.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { idle, receiving, sending, collecting, freed, buffered, num_phases };
enum { rounds = 4, readings = 5, bytes = 200000, states_seconds = 13663866 };

static int rank, size, left, right;
static char in[bytes], out[bytes];
static MPI_Request requests[2];

static void start(int phase) {
  if (phase == receiving || phase == freed)
    MPI_Irecv(in, bytes, MPI_CHAR, left, phase, MPI_COMM_WORLD, &requests[0]);
  if (phase == receiving) MPI_Isend(out, 100, MPI_CHAR, right, phase, MPI_COMM_WORLD, &requests[1]);
  if (phase == sending || phase == freed)
    MPI_Isend(out, bytes, MPI_CHAR, right, phase, MPI_COMM_WORLD, &requests[1]);
  if (phase == freed) MPI_Request_free(&requests[1]);
  if (phase == collecting)
    MPI_Iallreduce(out, in, bytes / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  if (phase == buffered) MPI_Bsend(out, bytes, MPI_CHAR, right, phase, MPI_COMM_WORLD);
}

static void end(int phase) {
  if (phase == sending || phase == buffered)
    MPI_Recv(in, bytes, MPI_CHAR, left, phase, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size, right = (rank + 1) % size;
  requests[0] = requests[1] = MPI_REQUEST_NULL;
  const int room = 2 * (bytes + MPI_BSEND_OVERHEAD);
  void* memory = malloc(room);
  MPI_Buffer_attach(memory, room);
  const double begin = MPI_Wtime();
  for (int phase = 0; phase < num_phases; ++phase)
    for (int round = 0; round < rounds; ++round) {
      double sum = 0;
      start(phase);
      for (int i = 0; i < readings; ++i) {
        MPI_Pcontrol(states_seconds, (3 + rank) * 4e-6);
        struct timeval now;
        if (i % 2 != 0) gettimeofday(&now, NULL);
        sum += MPI_Wtime() - begin;
      }
      end(phase);
      fprintf(stderr, "%d: %d %.12f\n", rank, phase, sum);
    }
  MPI_Buffer_detach(&memory, &(int){0});
  free(memory);
  MPI_Finalize();
  return 0;
}
