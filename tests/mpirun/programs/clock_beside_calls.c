/* One thread of each rank makes all calls, which MPI_THREAD_SERIALIZED allows, and the main thread
 * reads a clock meanwhile: `clock_beside_calls ROUNDS`. Each rank prints its sum when its clock has
 * never run backwards. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int over;
static int rounds;
static long sum;

static void* calls(void* unused) {
  int rank, size, flag;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < rounds; ++i) {
    long out = i + rank, in = -1;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_LONG, right, i, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;) MPI_Iprobe(left, i, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_LONG, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += in;
  }
  atomic_store(&over, 1);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  struct timespec last = {0, 0}, now;
  pthread_t thread;
  rounds = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  pthread_create(&thread, NULL, calls, NULL);
  while (!atomic_load(&over)) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < last.tv_sec || (now.tv_sec == last.tv_sec && now.tv_nsec < last.tv_nsec)) {
      printf("the clock ran backwards\n");
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    last = now;
  }
  pthread_join(thread, NULL);
  printf("%ld\n", sum);
  MPI_Finalize();
  return 0;
}
