/* Functions of the program that MPI calls, and that call MPI: an operation, a copy of an attribute,
 * and its deletion in MPI_Comm_free and in MPI_Finalize. */
#include <mpi.h>
#include <stddef.h>

static void plus(void *in, void *inout, int *count, MPI_Datatype *type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  for (int i = 0; i < *count; ++i) ((int *)inout)[i] += ((int *)in)[i];
}

static int copied(MPI_Comm comm, int key, void *state, void *value, void *copy, int *flag) {
  int rank;
  (void)key, (void)state;
  MPI_Comm_rank(comm, &rank);
  *(void **)copy = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *state) {
  int rank;
  (void)key, (void)value, (void)state;
  MPI_Comm_rank(comm, &rank);
  return MPI_Barrier(MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  int key, one = 1, sum = 0;
  MPI_Comm copy;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(copied, deleted, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Op_create(plus, 1, &op);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  return MPI_Finalize();
}
