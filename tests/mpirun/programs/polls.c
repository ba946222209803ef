/* Every way to ask without waiting: ranks poll for messages of a ring, eager and by rendezvous,
 * and for collectives, until they have them. Prints for each rank how often it asked in vain, and
 * when it had finished each part. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 32768 };

struct here {
  int rank, left, right;
  long vain;
  char in[2][most], out[2][most];
};

static void done(struct here* h, int part) {
  printf("%d %d %ld %.0f\n", h->rank, part, h->vain, 1e12 * MPI_Wtime());
  h->vain = 0;
}

static void probe(struct here* h, int bytes) {
  MPI_Request send;
  MPI_Status status;
  int flag = 0;
  MPI_Isend(h->out[0], bytes, MPI_CHAR, h->right, 1, MPI_COMM_WORLD, &send);
  while (!flag) {
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status); /* never sent */
    h->vain += !flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &status);
    h->vain += !flag;
  }
  MPI_Recv(h->in[0], bytes, MPI_CHAR, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
  for (flag = 0; !flag; h->vain += !flag) MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
}

static void matched_probe(struct here* h, int bytes) {
  MPI_Request send;
  MPI_Message message;
  int flag = 0;
  MPI_Isend(h->out[0], bytes, MPI_CHAR, h->right, 2, MPI_COMM_WORLD, &send);
  for (; !flag; h->vain += !flag)
    MPI_Improbe(h->left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(h->in[0], bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  for (flag = 0; !flag; h->vain += !flag) MPI_Request_get_status(send, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static void tests(struct here* h, int bytes) {
  MPI_Request all[4];
  int flag = 0, which, count, places[4];
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(h->in[i], bytes, MPI_CHAR, i ? h->left : MPI_ANY_SOURCE, 3 + i, MPI_COMM_WORLD, all + i);
    MPI_Issend(h->out[i], bytes, MPI_CHAR, h->right, 3 + i, MPI_COMM_WORLD, all + 2 + i);
  }
  for (; !flag; h->vain += !flag) MPI_Testany(4, all, &which, &flag, MPI_STATUS_IGNORE);
  for (count = 0; count == 0; h->vain += count == 0)
    MPI_Testsome(4, all, &count, places, MPI_STATUSES_IGNORE);
  for (flag = 0; !flag; h->vain += !flag) MPI_Testall(4, all, &flag, MPI_STATUSES_IGNORE);
}

static void collectives(struct here* h, int bytes) {
  MPI_Request request;
  int flag;
  double start;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (flag = 0; !flag; h->vain += !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Iallreduce(h->out[0], h->in[0], bytes, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD, &request);
  for (flag = 0; !flag; h->vain += !flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  start = MPI_Wtime();
  while (MPI_Wtime() < start + 3e-6 * (1 + h->rank)) {
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    h->vain += !flag;
  }
}

int main(int argc, char** argv) {
  struct here* h = calloc(1, sizeof *h);
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &h->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  h->left = (h->rank + size - 1) % size;
  h->right = (h->rank + 1) % size;
  for (int bytes = 0; bytes <= most; bytes += most / 2) {
    MPI_Pcontrol(13663866, 4e-6 * (h->rank % 3)); /* not all at the same time */
    probe(h, bytes);
    done(h, 0);
    matched_probe(h, bytes);
    done(h, 1);
    tests(h, bytes);
    done(h, 2);
    collectives(h, bytes);
    done(h, 3);
  }
  free(h);
  MPI_Finalize();
  return 0;
}
