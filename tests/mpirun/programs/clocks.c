/* Clocks that programs read themselves: each measures 2.5 ms of computing that MPI is told of, a
 * sleep of 1.5 ms, and the rest of a loop until a clock has gone on by 20 ms. Prints how long each
 * clock says that took [us], and whether clocks advance where MPI begins and ends. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double of(struct timespec t) { return 1e6 * t.tv_sec + 1e-3 * t.tv_nsec; }

static double clock_of(int which) {
  struct timespec t;
  struct timeval v;
  struct rusage used;
  switch (which) {
    case 0: gettimeofday(&v, NULL); return 1e6 * v.tv_sec + v.tv_usec;
    case 1: clock_gettime(CLOCK_REALTIME, &t); return of(t);
    case 2: clock_gettime(CLOCK_MONOTONIC, &t); return of(t);
    case 3: clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return of(t);
    case 4: timespec_get(&t, TIME_UTC); return of(t);
    case 5: return 1e6 * clock() / CLOCKS_PER_SEC;
    case 6:
      getrusage(RUSAGE_SELF, &used);
      return 1e6 * (used.ru_utime.tv_sec + used.ru_stime.tv_sec) + used.ru_utime.tv_usec +
             used.ru_stime.tv_usec;
    default: return 1e6 * MPI_Wtime();
  }
}

int main(int argc, char** argv) {
  struct timespec nap = {0, 500000};
  double before = clock_of(2), start[8], inside;
  time_t day = time(NULL);
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 8; ++i) start[i] = clock_of(i);
  MPI_Pcontrol(13663866, 2.5e-3);
  usleep(1000);
  nanosleep(&nap, NULL);
  for (int i = 0; i < 8; ++i) printf("%d %d %.0f\n", rank, i, clock_of(i) - start[i]);
  inside = clock_of(2);
  while (clock_of(2) < inside + 20e3) {
  }
  printf("%d loop %d\n", rank, clock_of(7) >= 24e3 && clock_of(7) < 25e3);
  inside = clock_of(2) - start[2];
  MPI_Finalize();
  printf("%d ends %d\n", rank, clock_of(2) - start[2] >= inside);
  printf("%d begins %d\n", rank, start[2] >= before && time(NULL) - day < 60);
  return 0;
}
