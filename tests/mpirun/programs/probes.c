/* Asks for functions that a library may lack, and continues without them. "default": with MPI's
 * own handler. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char* name(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  if (code == MPI_SUCCESS) return "there";
  return class == MPI_ERR_UNSUPPORTED_OPERATION ? "unsupported" : "another error";
}

static void note(MPI_Comm* comm, int* code, ...) {
  int size;
  MPI_Comm_size(*comm, &size);
  printf("handler of a communicator of %d: %s\n", size, name(*code));
}

int main(int argc, char** argv) {
  int rank, level, code;
  void* memory;
  MPI_Win window;
  MPI_File file;
  MPI_Comm pair;
  MPI_Errhandler handler;
  code = MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
  if (argc > 1 && strcmp(argv[1], "default") == 0) {
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  }
  if (argc > 1 && strcmp(argv[1], "file") == 0)
    MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (rank == 0) printf("tools: %s\n", code == MPI_T_ERR_CANNOT_INIT ? "cannot be" : "other");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (rank == 0) printf("window: %s\n", name(code));
  code = MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL);
  if (rank == 0) printf("put: %s\n", name(code));
  code = MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (rank == 0) printf("file: %s\n", name(code));
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(pair, handler);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Win_create(&rank, 4, 1, MPI_INFO_NULL, pair, &window);
  MPI_Finalize();
  return 0;
}
