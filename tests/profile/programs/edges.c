#include <mpi.h>
#include <stdlib.h>

/* Buffered sends, one-sided communication and files, counted by hand in
   tests/profile/test_rare_calls.py. */
int main(int argc, char **argv) {
  int rank, size, length;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  char out[1000] = {0}, in[1000], *room = malloc(1 << 20);
  MPI_Request requests[2];
  MPI_Buffer_attach(room, 1 << 20);
  for (int i = 0; i < 3; ++i) MPI_Bsend(out, 100, MPI_BYTE, next, i, MPI_COMM_WORLD);
  MPI_Ibsend(out, 200, MPI_BYTE, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Bsend_init(out, 300, MPI_BYTE, next, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  for (int i = 0; i < 5; ++i)
    MPI_Recv(in, 1000, MPI_BYTE, previous, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&room, &length);

  int window[4] = {0};
  MPI_Win win;
  MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(out, 2, MPI_INT, next, 1, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);

  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, rank * 64, out, 64, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
