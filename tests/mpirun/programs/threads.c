/* Calls MPI from two threads: at once, although the library does not allow it, or one by one. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int main_thread = 1;

/* In real time: a call of the C library would let simulated time pass. */
static void sleep_really(int seconds) {
  struct timespec time = {seconds, 0};
  syscall(SYS_nanosleep, &time, NULL);
}

static void* receive(void* word) {
  MPI_Is_thread_main(&main_thread);
  MPI_Recv(word, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int rank, provided, word = 0, mine = 42;
  int at_once = argc > 1 && strcmp(argv[1], "at-once") == 0;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  printf("provided %s\n", provided == MPI_THREAD_SERIALIZED ? "serialized" : "other");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) sleep_really(5); /* the run continues meanwhile */
  if (!at_once) MPI_Send(&mine, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  pthread_create(&thread, NULL, receive, &word);
  if (at_once) {
    sleep_really(1);
    MPI_Send(&mine, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  }
  pthread_join(thread, NULL);
  printf("received %d in %s\n", word, main_thread ? "the main thread" : "another thread");
  MPI_Finalize();
  return 0;
}
