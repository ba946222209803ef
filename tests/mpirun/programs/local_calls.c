/* Rank 0 makes local calls in a second thread while its main thread waits in MPI_Recv, for a
 * message that comes after a second of real time: `local_calls plain`. Other words say what the
 * second thread does beside the call of the first one. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static atomic_int over;
static int wrong, beside;
static const char* what;

static void sleep_really(int seconds) {
  struct timespec time = {seconds, 0};
  syscall(SYS_nanosleep, &time, NULL);
}

static void plus(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void try_datatypes(int round) {
  static MPI_Datatype kept[ROUNDS];
  int bytes, place = 0, pairs[4] = {round, -1, round + 1, -1}, back[4] = {0, 0, 0, 0};
  char packed[64];
  MPI_Type_vector(2, 1, 2, MPI_INT, &kept[round]);
  MPI_Type_commit(&kept[round]);
  MPI_Type_size(kept[round], &bytes);
  MPI_Pack(pairs, 1, kept[round], packed, sizeof packed, &place, MPI_COMM_WORLD);
  place = 0;
  MPI_Unpack(packed, sizeof packed, &place, back, 1, kept[round], MPI_COMM_WORLD);
  wrong += bytes != 8 || place != 8 || back[0] != round || back[2] != round + 1;
}

static void try_groups(void) {
  MPI_Group all, first;
  int zero = 0, size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_rank(first, &rank);
  MPI_Group_free(&all);
  MPI_Group_free(&first);
  wrong += size != 2 || rank != 0;
}

static void try_others(void) {
  MPI_Info info;
  MPI_Op op;
  char value[8];
  int key, flag, one = 1, two = 2, *found;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_get(info, "key", 7, value, &flag);
  MPI_Info_free(&info);
  wrong += !flag || strcmp(value, "value") != 0;
  MPI_Op_create(plus, 1, &op);
  MPI_Reduce_local(&one, &two, 1, MPI_INT, op);
  MPI_Op_free(&op);
  wrong += two != 3;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &two);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &found, &flag);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
  wrong += !flag || found != &two;
}

static int delete_at_a_barrier(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value, (void)state;
  return MPI_Barrier(MPI_COMM_SELF);
}

static void* second(void* unused) {
  double last = 0;
  int key;
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(what, "wrong") == 0) MPI_Comm_size(MPI_COMM_NULL, &key);
  if (strcmp(what, "callback") == 0) {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_at_a_barrier, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    try_datatypes(round);
    try_groups();
    try_others();
    const double now = MPI_Wtime();
    wrong += now < last;
    last = now;
  }
  beside = !atomic_load(&over);
  return unused;
}

int main(int argc, char** argv) {
  int rank, provided, word = 0;
  pthread_t thread;
  what = argc > 1 ? argv[1] : "plain";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    word = 42;
    sleep_really(1);
    MPI_Send(&word, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  } else {
    pthread_create(&thread, NULL, second, NULL);
    MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    wrong += MPI_Wtime() > 0.001; /* simulated time, whatever the other thread has seen */
    printf("received %d, wrong %d, beside %d\n", word, wrong, beside);
  }
  MPI_Finalize();
  return 0;
}
