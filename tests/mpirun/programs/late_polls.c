/* Random messages in rounds, the same for the same seed: `late_polls SEED ROUNDS`. Each rank waits
 * for its requests at first and polls from a round of its own on, so that messages of every kind
 * are under way when the first rank polls. Prints when each rank ended, and how often it asked in
 * vain. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { messages = 24, largest = 40000, user_buffer = 1 << 20 };

struct here {
  unsigned long shared, own;
  int rank, size, polls;
  long vain;
  char out[largest], in[messages][largest], buffer[user_buffer];
};

static int draw(unsigned long* state, int below) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((*state >> 33) % (unsigned long)below);
}

static void compute(struct here* h) {
  if (draw(&h->own, 2)) MPI_Pcontrol(13663866, 1e-7 * draw(&h->own, 60));
}

static void send(struct here* h, int to, int bytes, int tag, int how, MPI_Request* request) {
  switch (how) {
    case 0: MPI_Issend(h->out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, request); return;
    case 1: MPI_Ibsend(h->out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, request); return;
    default: MPI_Isend(h->out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, request);
  }
}

static void probe_for(struct here* h, int from, int tag) {
  int flag = 0;
  for (; !flag; h->vain += !flag)
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void complete(struct here* h, int count, MPI_Request* requests) {
  int flag = 0, which;
  if (!h->polls) {
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    return;
  }
  if (draw(&h->own, 2)) {
    for (; !flag; h->vain += !flag)
      MPI_Testany(count, requests, &which, &flag, MPI_STATUS_IGNORE);
    flag = 0;
  }
  for (; !flag; h->vain += !flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
}

static void play_round(struct here* h) {
  static const int sizes[] = {0, 8, 700, 5000, 9000, largest};
  MPI_Request requests[2 * messages + 1];
  int count = 0, sum;
  for (int i = 0; i < messages; ++i) {
    const int from = draw(&h->shared, h->size), to = draw(&h->shared, h->size);
    const int bytes = sizes[draw(&h->shared, 6)], how = draw(&h->shared, 4);
    if (h->rank == from) send(h, to, bytes, i, how, &requests[count++]);
    if (h->rank == to) {
      compute(h);
      if (h->polls && from != to && how != 0 && draw(&h->own, 3) == 0) probe_for(h, from, i);
      MPI_Irecv(h->in[i], bytes, MPI_CHAR, from, i, MPI_COMM_WORLD, &requests[count++]);
    }
  }
  if (draw(&h->shared, 3) == 0)
    MPI_Iallreduce(&h->rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[count++]);
  compute(h);
  complete(h, count, requests);
}

int main(int argc, char** argv) {
  struct here* h = calloc(1, sizeof *h);
  int bytes;
  MPI_Init(&argc, &argv);
  const int rounds = atoi(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &h->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &h->size);
  MPI_Buffer_attach(h->buffer, user_buffer);
  h->shared = strtoul(argv[1], NULL, 10);
  h->own = h->shared * 31 + (unsigned long)h->rank;
  draw(&h->own, 2);
  const int first = draw(&h->own, rounds);
  for (int round = 0; round < rounds; ++round) {
    h->polls = round >= first;
    play_round(h);
  }
  printf("%d %ld %.0f\n", h->rank, h->vain, 1e12 * MPI_Wtime());
  MPI_Buffer_detach(&h->out, &bytes);
  MPI_Finalize();
  free(h);
  return 0;
}
