/* Prints what every MPI gives alike: messages, statuses, collectives, datatypes, attributes, errors
   and an operation of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void longest(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  for (int i = 0; i < *count; ++i) {
    const int* left = (const int*)in + 2 * i;
    int* right = (int*)inout + 2 * i;
    if (left[1] - left[0] >= right[1] - right[0]) memcpy(right, left, (size_t)bytes);
  }
}

static void messages(void) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  int sent[3] = {rank, 10 * rank, 100 * rank}, received[3] = {-1, -1, -1}, count = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  MPI_Irecv(received, 3, MPI_INT, left, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 2, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  printf("%d: %d integers from %d tag %d: %d %d %d, requests %s\n", rank, count,
         statuses[0].MPI_SOURCE, statuses[0].MPI_TAG, received[0], received[1], received[2],
         requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL ? "null" : "left");
  MPI_Sendrecv(sent, 1, MPI_INT, right, 8, received, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
               MPI_COMM_WORLD, &status);
  printf("%d: %d from %d tag %d\n", rank, received[0], status.MPI_SOURCE, status.MPI_TAG);
  MPI_Recv(received, 3, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  printf("%d: nobody %d, any tag %d, %d integers\n", rank, status.MPI_SOURCE == MPI_PROC_NULL,
         status.MPI_TAG == MPI_ANY_TAG, count);
}

/* A request that is null has a status without a source, a tag, data or an error. */
static void null_requests(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status statuses[5];
  int flag = 0, index, count = -1, empty = 0;
  memset(statuses, 0x5a, sizeof statuses);
  MPI_Wait(&request, &statuses[0]);
  MPI_Test(&request, &flag, &statuses[1]);
  MPI_Request_get_status(request, &flag, &statuses[2]);
  MPI_Waitany(1, &request, &index, &statuses[3]);
  MPI_Waitall(1, &request, &statuses[4]);
  for (int i = 0; i < 5; ++i) {
    MPI_Get_count(&statuses[i], MPI_INT, &count);
    empty += statuses[i].MPI_SOURCE == MPI_ANY_SOURCE && statuses[i].MPI_TAG == MPI_ANY_TAG &&
             statuses[i].MPI_ERROR == MPI_SUCCESS && count == 0;
  }
  printf("%d: %d statuses of nothing, flag %d, index %s\n", rank, empty, flag,
         index == MPI_UNDEFINED ? "undefined" : "defined");
}

static void collectives(void) {
  double sum = 1.0 / (rank + 1);
  int pair[2] = {rank, rank * rank}, where[2] = {rank % 3, rank}, most[2];
  MPI_Datatype interval;
  MPI_Op op;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(where, most, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Type_contiguous(2, MPI_INT, &interval);
  MPI_Type_commit(&interval);
  MPI_Op_create(longest, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, pair, 1, interval, op, MPI_COMM_WORLD);
  printf("%d: sum %.17g, most %d at %d, longest %d to %d\n", rank, sum, most[0], most[1], pair[0],
         pair[1]);
  MPI_Op_free(&op);
  MPI_Type_free(&interval);
  int* all = malloc((size_t)size * sizeof *all);
  MPI_Request request;
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; ++i)
    if (all[i] != i) printf("%d: wrong at %d\n", rank, i);
  free(all);
}

static void communicators(void) {
  MPI_Comm half, cart;
  MPI_Group group;
  int half_rank, half_size, dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], up, down;
  int key, flag = 0, *bound = NULL, mine = 100 + rank, *found = NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_group(half, &group);
  MPI_Group_size(group, &half_size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_coords(cart, rank, 2, coords);
  MPI_Cart_shift(cart, 1, 1, &up, &down);
  printf("%d: %d of %d, at %d %d of %d %d, ends %d %d\n", rank, half_rank, half_size, coords[0],
         coords[1], dims[0], dims[1], up == MPI_PROC_NULL, down == MPI_PROC_NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(half, key, &mine);
  MPI_Comm copy;
  MPI_Comm_dup(half, &copy);
  MPI_Comm_get_attr(copy, key, &found, &flag);
  printf("%d: attribute %d %d\n", rank, flag, flag ? *found : -1);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  printf("%d: tags %d\n", rank, flag && *bound >= 32767);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&cart);
  MPI_Group_free(&group);
  MPI_Comm_free(&half);
  printf("%d: freed %d %d\n", rank, half == MPI_COMM_NULL, group == MPI_GROUP_NULL);
}

static void datatypes_and_errors(void) {
  struct {
    char letter;
    double value;
  } pair = {(char)('a' + rank % 26), rank / 3.0}, got;
  const int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, (MPI_Aint)((char*)&pair.value - (char*)&pair)}, lower, extent;
  const MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype type;
  int bytes, code, error_class, length;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  memset(&got, 0, sizeof got);
  MPI_Sendrecv(&pair, 1, type, rank, 1, &got, 1, type, rank, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  printf("%d: %c %.17g, %d bytes, extent %ld\n", rank, got.letter, got.value, bytes, (long)extent);
  MPI_Type_free(&type);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  code = MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &error_class);
  printf("%d: error of rank %d\n", rank, error_class == MPI_ERR_RANK);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  printf("%d: %s\n", rank, name);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  messages();
  null_requests();
  collectives();
  communicators();
  datatypes_and_errors();
  MPI_Finalize();
  return 0;
}
