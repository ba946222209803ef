// Every rank reads the clocks of the system after a barrier, and a thread of each looks whether they
// ever fall back. Prints by how many ns the clocks of the ranks differ, and how often one fell back.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static const clockid_t clocks[] = {CLOCK_REALTIME,        CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
                                   CLOCK_REALTIME_COARSE, CLOCK_BOOTTIME,  CLOCK_MONOTONIC_COARSE};
enum { count = sizeof clocks / sizeof *clocks };

static volatile int done;
static int back;

static long long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void* watch(void* unused) {
  long long before[count] = {0};
  while (!done)
    for (int i = 0; i < count; ++i) {
      const long long time = now(clocks[i]);
      back += time < before[i];
      before[i] = time;
    }
  return unused;
}

int main(int argc, char** argv) {
  int provided, rank;
  volatile double work = 0;
  pthread_t thread;
  long long before[count], times[count], first[count], last[count];
  for (int i = 0; i < count; ++i) before[i] = now(clocks[i]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < count; ++i) back += now(clocks[i]) < before[i];
  pthread_create(&thread, NULL, watch, NULL);
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < 2000000; ++i) work += i;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) times[i] = now(clocks[i]);
  }
  done = 1;
  pthread_join(thread, NULL);
  MPI_Allreduce(times, first, count, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(times, last, count, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) printf("%d %lld\n", rank, last[i] - first[i]);
  printf("%d back %d\n", rank, back);
  return MPI_Finalize();
}
