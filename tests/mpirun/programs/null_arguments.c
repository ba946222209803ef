/* Each call has a null pointer in the place of a result, a handle, a flag or a list. */
#include <mpi.h>
#include <stdio.h>

static int number, accepted;

static void answered(const char *name, int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  ++number;
  if (class == MPI_ERR_ARG) return;
  ++accepted;
  printf("%s returned the class %d\n", name, class);
}

#define NULL_IN(name, ...) answered(#name, MPI_##name(__VA_ARGS__))

static void results(MPI_Comm world, MPI_Comm grid) {
  int x = 0, y = 0;
  NULL_IN(Comm_rank, world, NULL);
  NULL_IN(Comm_dup, world, NULL);
  NULL_IN(Comm_free, NULL);
  NULL_IN(Group_free, NULL);
  NULL_IN(Type_free, NULL);
  NULL_IN(Type_commit, NULL);
  NULL_IN(Op_free, NULL);
  NULL_IN(Info_create, NULL);
  NULL_IN(Info_free, NULL);
  NULL_IN(Errhandler_free, NULL);
  NULL_IN(Comm_get_errhandler, world, NULL);
  NULL_IN(Query_thread, NULL);
  NULL_IN(Is_thread_main, NULL);
  NULL_IN(Initialized, NULL);
  NULL_IN(Finalized, NULL);
  NULL_IN(Pack_size, 1, MPI_INT, world, NULL);
  NULL_IN(Topo_test, world, NULL);
  NULL_IN(Cartdim_get, grid, NULL);
  NULL_IN(Cart_shift, grid, 0, 1, &x, NULL);
  NULL_IN(Cart_shift, grid, 0, 1, NULL, &y);
  NULL_IN(Add_error_class, NULL);
}

static void requests(MPI_Comm world) {
  int x = 1, y = 0, flag = 0, count = 0, place = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status;
  NULL_IN(Irecv, &y, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Isend, &x, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Issend, &x, 1, MPI_INT, MPI_PROC_NULL, 0, world, NULL);
  NULL_IN(Send_init, &x, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Recv_init, &y, 1, MPI_INT, 0, 0, world, NULL);
  NULL_IN(Ibarrier, world, NULL);
  NULL_IN(Iallreduce, &x, &y, 1, MPI_INT, MPI_SUM, world, NULL);
  NULL_IN(Wait, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Test, NULL, &flag, MPI_STATUS_IGNORE);
  NULL_IN(Test, &none, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Testall, 1, &none, NULL, MPI_STATUSES_IGNORE);
  NULL_IN(Waitany, 1, &none, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Testany, 1, &none, &place, NULL, MPI_STATUS_IGNORE);
  NULL_IN(Waitsome, 1, &none, NULL, &place, MPI_STATUSES_IGNORE);
  NULL_IN(Testsome, 1, &none, &count, NULL, MPI_STATUSES_IGNORE);
  NULL_IN(Start, NULL);
  NULL_IN(Startall, 1, NULL);
  NULL_IN(Cancel, NULL);
  NULL_IN(Request_free, NULL);
  NULL_IN(Iprobe, 0, 0, world, NULL, &status);
  NULL_IN(Get_count, NULL, MPI_INT, &count);
  NULL_IN(Get_count, &status, MPI_INT, NULL);
  NULL_IN(Test_cancelled, NULL, &flag);
}

int main(int argc, char **argv) {
  int side = 1, period = 1, flag = 1;
  MPI_Comm grid;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &side, &period, 0, &grid);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  results(MPI_COMM_WORLD, grid);
  requests(MPI_COMM_WORLD);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  printf("calls %d, not refused %d, messages left %d\n", number, accepted, flag);
  MPI_Comm_free(&grid);
  return MPI_Finalize();
}
