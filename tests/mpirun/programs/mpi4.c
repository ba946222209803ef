/* Prints what MPI-4 and its errors come to: buffers of buffered sends, persistent collectives that
   start in any order, partitioned messages, sessions, null results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 1 << 20 };

static int rank, size;

static const char* name_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class == MPI_SUCCESS      ? "success"
         : class == MPI_ERR_BUFFER ? "buffer"
         : class == MPI_ERR_ARG    ? "argument"
                                   : "other";
}

static void say(const char* what, const char* result) {
  printf("%d: %s: %s\n", rank, what, result);
}
static void say_number(const char* what, long number) {
  printf("%d: %s: %ld\n", rank, what, number);
}

/* A message to itself keeps its place in the buffer until it has been received. */
static void buffers(MPI_Comm comm) {
  const int room = LONG + MPI_BSEND_OVERHEAD;
  char *data = calloc(LONG, 1), *buffer = malloc((size_t)room);
  void* detached = NULL;
  int me, bytes = 0;
  MPI_Request request;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  say("without a buffer", name_of(MPI_Bsend(data, LONG, MPI_CHAR, me, 0, comm)));
  MPI_Comm_attach_buffer(comm, buffer, room);
  say("first", name_of(MPI_Bsend(data, LONG, MPI_CHAR, me, 0, comm)));
  say("second", name_of(MPI_Bsend(data, LONG, MPI_CHAR, me, 1, comm)));
  MPI_Comm_iflush_buffer(comm, &request);
  MPI_Recv(data, LONG, MPI_CHAR, me, 0, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("when it is empty", name_of(MPI_Bsend(data, LONG, MPI_CHAR, me, 2, comm)));
  MPI_Recv(data, LONG, MPI_CHAR, me, 2, comm, MPI_STATUS_IGNORE);
  MPI_Comm_flush_buffer(comm);
  MPI_Ibsend(data, 3, MPI_CHAR, me, 3, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(data, 3, MPI_CHAR, me, 3, comm, MPI_STATUS_IGNORE);
  MPI_Bsend_init(data, 4, MPI_CHAR, me, 4, comm, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    MPI_Recv(data, 4, MPI_CHAR, me, 4, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Comm_detach_buffer(comm, &detached, &bytes);
  say("detached", detached == buffer && bytes == room ? "the same" : "another");
  free(buffer);
  free(data);
}

static void persistent(void) {
  int from_root = rank, sum = 0;
  MPI_Request requests[3];
  MPI_Bcast_init(&from_root, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int round = 0; round < 2; ++round) {
    from_root = 10 * rank + 7;
    for (int i = 0; i < 3; ++i) MPI_Start(&requests[(i * (1 + rank % 2) + rank + round) % 3]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    say_number("from the root", from_root);
    say_number("sum", sum);
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
}

static void partitioned(void) {
  enum { PARTS = 4 };
  int sent[PARTS] = {0}, received[PARTS], arrived = 0;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request out, in;
  MPI_Status status;
  MPI_Psend_init(sent, PARTS, 1, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &out);
  MPI_Precv_init(received, 2, 2, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &in);
  for (int round = 0; round < 2; ++round) {
    MPI_Start(&in);
    MPI_Start(&out);
    for (int i = 0; i < PARTS; ++i) sent[i] = 100 * rank + 10 * round + i;
    MPI_Pready(2, out);
    MPI_Pready_range(0, 1, out);
    MPI_Pready_list(1, (int[]){3}, out);
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    while (!arrived) MPI_Parrived(in, 1, &arrived);
    MPI_Wait(&in, &status);
    printf("%d: partitions %d %d %d %d from %d\n", rank, received[0], received[1], received[2],
           received[3], status.MPI_SOURCE);
  }
  MPI_Request_free(&out);
  MPI_Request_free(&in);
}

static void errors(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* with the handler that ends the program */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  say("no place for a part", name_of(MPI_Comm_split(comm, 0, 0, NULL)));
  MPI_Comm_free(&comm);
}

static void session(void) {
  MPI_Session session;
  MPI_Group group, none;
  MPI_Comm comm;
  MPI_Info info;
  int sum = 0, flag = 0, length = 0, sets = 0, initialized = 1;
  char text[64] = "";
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_SINGLE");
  MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
  MPI_Info_free(&info);
  MPI_Initialized(&initialized);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, text);
  const int needed = length;
  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, text);
  MPI_Session_get_pset_info(session, text, &info);
  char members[16] = "";
  MPI_Info_get(info, "mpi_size", 15, members, &flag);
  MPI_Info_free(&info);
  MPI_Group_from_session_pset(session, text, &group);
  MPI_Comm_create_from_group(group, "odonata", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  printf("%d: session: initialized %d, sets %d, %s of %s, length %d, sum %d\n", rank, initialized,
         sets >= 2, text, flag ? members : "?", needed, sum);
  say("no such set", name_of(MPI_Group_from_session_pset(session, "mpi://NOBODY", &none)));
  MPI_Group_free(&group);
  buffers(comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

/* What may be called at any time. */
static void information(const char* when) {
  MPI_Info info;
  char value[16] = "";
  int flag = 0, keys = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "when", when);
  MPI_Info_get(info, "when", 15, value, &flag);
  MPI_Info_get_nkeys(info, &keys);
  MPI_Info_free(&info);
  printf("%d: info: %s, %d keys, flag %d, null %d\n", rank, value, keys, flag,
         info == MPI_INFO_NULL);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    session();
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  persistent();
  partitioned();
  errors();
  information("between");
  MPI_Finalize();
  information("after");
  return 0;
}
