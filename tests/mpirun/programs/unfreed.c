// Ends with requests that were used and never freed.
#include <mpi.h>

enum { num_freed = 5, num_kept = 100 };

int main(int argc, char** argv) {
  int value = 0;
  MPI_Request requests[num_kept];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < num_kept; ++i)
    MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < num_freed; ++i) MPI_Request_free(&requests[i]);
  MPI_Finalize();
  return 0;
}
