#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

/* Several threads call MPI at once: counted by hand in tests/profile/test_rare_calls.py. */
enum { num_threads = 4, steps = 500 };
static int rank, size;

static void *exchange(void *number) {
  const int thread = (int)(long)number;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  char out[64] = {0}, in[64];
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[2];
    int done = 0;
    MPI_Irecv(in, 64, MPI_BYTE, previous, thread, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 8 * (thread + 1), MPI_BYTE, next, thread, MPI_COMM_WORLD, &requests[1]);
    if (step % 2) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int level;
  pthread_t threads[num_threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level != MPI_THREAD_MULTIPLE) return puts("no threads"), MPI_Finalize();
  for (long i = 0; i < num_threads; ++i) pthread_create(&threads[i], NULL, exchange, (void *)i);
  for (int i = 0; i < num_threads; ++i) pthread_join(threads[i], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
