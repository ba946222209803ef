/* Work as in Ray, the parallel genome assembler: every rank asks random ranks for what they keep,
 * and goes round a loop of one MPI_Iprobe, one message served if there is one, and one new request
 * if few are open. A rank that has all its answers says so to everyone, and serves until all have.
 *
 *     assemble [requests a rank] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { request, reply, finished, most_open = 1, words = 500, buffers = 64 };

struct here {
  int rank, size, asked, answered, left;
  unsigned long state;
  long polls;
  int next;
  long out[buffers][words], in[words];
  MPI_Request sends[buffers];
};

static int draw(struct here* h, int below) {
  h->state = h->state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((h->state >> 33) % (unsigned long)below);
}

/* A buffer is used again when all others have been: its message has long left. */
static void send(struct here* h, int to, int tag, int count) {
  const int at = h->next++ % buffers;
  MPI_Wait(&h->sends[at], MPI_STATUS_IGNORE);
  h->out[at][0] = h->rank;
  MPI_Isend(h->out[at], count, MPI_LONG, to, tag, MPI_COMM_WORLD, &h->sends[at]);
}

static void serve(struct here* h, const MPI_Status* found) {
  MPI_Recv(h->in, words, MPI_LONG, found->MPI_SOURCE, found->MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  if (found->MPI_TAG == request) send(h, found->MPI_SOURCE, reply, 1 + draw(h, words));
  if (found->MPI_TAG == reply) ++h->answered;
  if (found->MPI_TAG == finished) --h->left;
}

static void turn(struct here* h, int requests) {
  MPI_Status found;
  int there;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &found);
  ++h->polls;
  if (there) serve(h, &found);
  if (h->asked == requests || h->asked - h->answered >= most_open) return;
  ++h->asked;
  send(h, draw(h, h->size), request, 4);
}

int main(int argc, char** argv) {
  struct here* h = calloc(1, sizeof *h);
  long polls;
  const int requests = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &h->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &h->size);
  h->state = (unsigned long)h->rank;
  h->left = h->size;
  for (int i = 0; i < buffers; ++i) h->sends[i] = MPI_REQUEST_NULL;
  while (h->answered < requests) turn(h, requests);
  for (int other = 0; other < h->size; ++other) send(h, other, finished, 1);
  while (h->left > 0) turn(h, requests);
  MPI_Waitall(buffers, h->sends, MPI_STATUSES_IGNORE);
  MPI_Reduce(&h->polls, &polls, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (h->rank == 0) printf("%ld polls, %.9f s\n", polls, MPI_Wtime());
  MPI_Finalize();
  free(h);
  return 0;
}
