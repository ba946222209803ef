/* Attaches a buffer of as many bytes as it is told beyond two messages' room; says what fits. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { message = 100 };

static int class_of(int code) {
  int found;
  MPI_Error_class(code, &found);
  return found;
}

int main(int argc, char** argv) {
  const int bytes = 2 * (message + MPI_BSEND_OVERHEAD) + atoi(argv[1]);
  char text[message] = {0}, *room = malloc(bytes);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Buffer_attach(room, bytes);
  int sent = 0, code = MPI_SUCCESS; /* to itself: a message stays until it is received */
  while (code == MPI_SUCCESS && sent < 9) {
    code = MPI_Bsend(text, message, MPI_CHAR, 0, 7, MPI_COMM_SELF);
    sent += code == MPI_SUCCESS;
  }
  printf("%d fit, then %s\n", sent, class_of(code) == MPI_ERR_BUFFER ? "MPI_ERR_BUFFER" : "none");
  for (int i = 0; i < sent; ++i)
    MPI_Recv(text, message, MPI_CHAR, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&room, &sent);
  free(room);
  MPI_Finalize();
  return 0;
}
