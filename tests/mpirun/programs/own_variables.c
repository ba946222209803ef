/* Each rank has variables of its own, and its own state of the C library: it prints them
   after all ranks have written to theirs. Options: -a, -b WORD, --long, and other words. */
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 100000000
#define COUNT 40000

int kept_from_library(int value);

static int me, started = 7;
static int* place = &started;       /* an address in the variables */
static double out[COUNT], in[COUNT]; /* buffers of messages */
char large[MANY];                   /* pages that are not touched take no memory */
static __thread int of_thread = 5;
static char lines[512];

static void done(void) { printf("%d ends with %d\n", me, started); }

static int next(void) {
  static int calls;
  return ++calls;
}

static void exchange(int size) {
  for (int i = 0; i < COUNT; ++i) out[i] = 1000.0 * me + i % 10;
  MPI_Request requests[2];
  MPI_Irecv(in, COUNT, MPI_DOUBLE, (me + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, COUNT, MPI_DOUBLE, (me + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  printf("%d received %g and %g\n", me, in[0], in[COUNT - 1]);
  MPI_Allreduce(out, in, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("%d reduced %g\n", me, in[COUNT - 1]);
  MPI_Allgather(&me, 1, MPI_INT, lines, 1, MPI_INT, MPI_COMM_WORLD);
  printf("%d gathered %d\n", me, ((int*)lines)[size - 1]);
}

static void surroundings(int size) {
  char name[20];
  sprintf(name, "OWN_%d", me % 2);
  setenv(name, "set", 1);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d is %s of %d, %s %s\n", me, getenv("OMPI_COMM_WORLD_RANK"), size,
         getenv("OWN_0") != NULL ? getenv("OWN_0") : "none",
         getenv("OWN_1") != NULL ? getenv("OWN_1") : "none");
}

static void parse(int count, char** words) {
  static const struct option longer[] = {{"long", no_argument, NULL, 'l'}, {0}};
  int found;
  while ((found = getopt_long(count, words, "ab:", longer, NULL)) != -1) {
    printf("%d option %c %s\n", me, found, optarg != NULL ? optarg : "");
    MPI_Barrier(MPI_COMM_WORLD); /* others run in the middle of their options */
  }
  while (optind < count) printf("%d word %s\n", me, words[optind++]);
}

int main(int count, char** words) {
  static char text[] = "one two three";
  int size;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  atexit(done);
  srand(me + 1);
  srand48(me + 1);
  *place += me;
  of_thread += me;
  large[(size_t)me * 5000000] = 1;
  for (int i = 0; i <= me; ++i) kept_from_library(next());
  char* token = strtok(text, " ");
  printf("%d begins ", me);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("a line and ends it\n");
  for (; token != NULL; token = strtok(NULL, " ")) {
    token[0] += me;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d token %s, %d, %ld\n", me, token, rand(), lrand48());
  }
  int sum = 0;
  for (size_t i = 0; i < MANY; i += 5000000) sum += large[i];
  printf("%d has %d %d %d, called %d, library %d\n", me, started, of_thread, sum, next(),
         kept_from_library(0));
  surroundings(size);
  exchange(size);
  parse(count, words);
  MPI_Finalize();
  return 0;
}
