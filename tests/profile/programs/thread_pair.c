#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

/* Two threads of a rank send to each other, synchronously: no order of their calls is one that a
   single thread could make. */
static void* receive(void* none) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return none;
}

int main(int argc, char** argv) {
  int level, value = 0;
  pthread_t other;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE) return puts("no threads"), MPI_Finalize();
  pthread_create(&other, NULL, receive, NULL);
  MPI_Ssend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  pthread_join(other, NULL);
  MPI_Finalize();
  return 0;
}
