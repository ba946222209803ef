#include <mpi.h>
#include <stdlib.h>

/* Calls whose records a trace has: tests/profile/test_trace.py compares the records of a real and
 * of a simulated run. Its course does not depend on time. 4 ranks. */

enum { most = 4096 };
static char out[4 * most], in[4 * most];
static int rank, size, next, previous;

static void requests(void) {
  MPI_Request all[4];
  MPI_Status status;
  int flag, index, count, places[4];
  MPI_Irecv(in, most, MPI_BYTE, previous, 1, MPI_COMM_WORLD, &all[0]);
  MPI_Isend(out, 100, MPI_BYTE, next, 1, MPI_COMM_WORLD, &all[1]);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  MPI_Wait(&all[1], &status);
  for (int i = 0; i < 2; ++i) {
    MPI_Irecv(in + i * most, most, MPI_BYTE, previous, 2 + i, MPI_COMM_WORLD, &all[i]);
    MPI_Issend(out, 200 + i, MPI_BYTE, next, 2 + i, MPI_COMM_WORLD, &all[2 + i]);
  }
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, most, MPI_BYTE, previous, 4, MPI_COMM_WORLD, &all[0]);
  all[1] = MPI_REQUEST_NULL;
  MPI_Send(out, 3, MPI_BYTE, next, 4, MPI_COMM_WORLD);
  MPI_Waitany(2, all, &index, MPI_STATUS_IGNORE);
  MPI_Irecv(in, most, MPI_BYTE, previous, 5, MPI_COMM_WORLD, &all[0]);
  MPI_Send(out, 4, MPI_BYTE, next, 5, MPI_COMM_WORLD);
  MPI_Waitsome(1, all, &count, places, MPI_STATUSES_IGNORE);
  /* From anybody: there is one message. */
  MPI_Irecv(in, most, MPI_BYTE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(in + most, most, MPI_BYTE, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &all[1]);
  MPI_Send(out, 5, MPI_BYTE, next, 6, MPI_COMM_WORLD);
  MPI_Send(out, 6, MPI_BYTE, next, 7, MPI_COMM_WORLD);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  MPI_Send(out, 7, MPI_BYTE, next, 8, MPI_COMM_WORLD);
  MPI_Recv(in, most, MPI_BYTE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 8, MPI_BYTE, next, 9, in, most, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in, 9, MPI_BYTE, previous, 10, next, 10, MPI_COMM_WORLD, &status);
  /* A receive that is taken back. */
  MPI_Irecv(in, most, MPI_BYTE, previous, 11, MPI_COMM_WORLD, &all[0]);
  MPI_Cancel(&all[0]);
  MPI_Wait(&all[0], &status);
  MPI_Irecv(in, most, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &all[0]);
  MPI_Test(&all[0], &flag, MPI_STATUS_IGNORE);
  MPI_Irecv(in, most, MPI_BYTE, previous, 12, MPI_COMM_WORLD, &all[0]);
  MPI_Isend(out, 10, MPI_BYTE, next, 12, MPI_COMM_WORLD, &all[1]);
  MPI_Request_free(&all[1]);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
}

static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  MPI_Send(out, 11, MPI_BYTE, next, 20, MPI_COMM_WORLD);
  MPI_Probe(previous, 20, MPI_COMM_WORLD, &status);
  MPI_Recv(in, most, MPI_BYTE, previous, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, 12, MPI_BYTE, next, 21, MPI_COMM_WORLD);
  MPI_Mprobe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, most, MPI_BYTE, &message, &status);
  MPI_Send(out, 13, MPI_BYTE, next, 22, MPI_COMM_WORLD);
  MPI_Mprobe(previous, 22, MPI_COMM_WORLD, &message, &status);
  MPI_Imrecv(in, most, MPI_BYTE, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  MPI_Request all[2];
  MPI_Send_init(out, 8, MPI_DOUBLE, next, 30, MPI_COMM_WORLD, &all[0]);
  MPI_Recv_init(in, 8, MPI_DOUBLE, previous, 30, MPI_COMM_WORLD, &all[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, all);
    MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&all[0]);
  MPI_Request_free(&all[1]);
#if MPI_VERSION >= 4
  MPI_Psend_init(out, 4, 25, MPI_BYTE, next, 31, MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
  MPI_Precv_init(in, 4, 25, MPI_BYTE, previous, 31, MPI_COMM_WORLD, MPI_INFO_NULL, &all[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, all);
    MPI_Pready(1, all[0]);
    MPI_Pready_range(2, 3, all[0]);
    MPI_Pready(0, all[0]);
    MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&all[0]);
  MPI_Request_free(&all[1]);
  double part = rank, sum;
  MPI_Allreduce_init(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&all[0]);
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&all[0]);
#endif
}

static void collectives(MPI_Comm comm) {
  int n, me, counts[4], places[4];
  MPI_Request request;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < n; ++i) counts[i] = i + 1, places[i] = 8 * i;
  MPI_Barrier(comm);
  MPI_Bcast(out, 300, MPI_BYTE, n - 1, comm);
  MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 6, MPI_INT, MPI_MAX, comm);
  MPI_Gather(out, 7, MPI_BYTE, in, 7, MPI_BYTE, 1, comm);
  MPI_Gatherv(out, me + 1, MPI_BYTE, in, counts, places, MPI_BYTE, 0, comm);
  MPI_Scatter(out, 9, MPI_BYTE, in, 9, MPI_BYTE, 1, comm);
  MPI_Scatterv(out, counts, places, MPI_BYTE, in, me + 1, MPI_BYTE, 0, comm);
  MPI_Allgather(out, 10, MPI_BYTE, in, 10, MPI_BYTE, comm);
  MPI_Allgatherv(out, me + 1, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
  MPI_Alltoall(out, 11, MPI_BYTE, in, 11, MPI_BYTE, comm);
  for (int i = 0; i < n; ++i) counts[i] = 2;
  MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, comm);
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out, in, 4, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out, in, 4, MPI_INT, MPI_SUM, comm);
  MPI_Iallreduce(out, in, 5, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void) {
  MPI_Comm half, copy, turned, cart, line, group_comm, some, between, merged, graph;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &copy);
  if (rank < 2) MPI_Send(out, 5, MPI_BYTE, 0, 1, copy);
  if (rank >= 2) MPI_Recv(in, 5, MPI_BYTE, 1, 1, copy, MPI_STATUS_IGNORE);
  MPI_Comm_idup(half, &turned, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : 0, 0, &some);
  if (some != MPI_COMM_NULL) MPI_Barrier(some);
  const int dims[2] = {2, 2}, periods[2] = {1, 0}, keep[2] = {1, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_sub(cart, keep, &line);
  MPI_Neighbor_allgather(out, 6, MPI_BYTE, in, 6, MPI_BYTE, cart);
  MPI_Neighbor_alltoall(out, 7, MPI_BYTE, in, 7, MPI_BYTE, cart);
  MPI_Group world, first;
  const int members[2] = {2, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, members, &first);
  MPI_Comm_create(MPI_COMM_WORLD, first, &group_comm);
  if (group_comm != MPI_COMM_NULL) {
    MPI_Comm of_group;
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, group_comm);
    MPI_Comm_create_group(MPI_COMM_WORLD, first, 77, &of_group);
    MPI_Barrier(of_group);
    MPI_Comm_free(&of_group);
    MPI_Comm_free(&group_comm);
  }
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 2 : 3, 5, &between);
  if (rank % 2 == 0) MPI_Send(out, 6, MPI_BYTE, rank / 2, 3, between);
  if (rank % 2 == 1) MPI_Recv(in, 6, MPI_BYTE, rank / 2, 3, between, MPI_STATUS_IGNORE);
  MPI_Barrier(between);
  MPI_Intercomm_merge(between, rank % 2, &merged);
  MPI_Barrier(merged);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &previous, MPI_UNWEIGHTED, 1, &next,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_alltoall(out, 8, MPI_BYTE, in, 8, MPI_BYTE, graph);
  collectives(copy);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Barrier(copy);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Pcontrol(1);
  requests();
  probes();
  persistent();
  collectives(MPI_COMM_WORLD);
  MPI_Pcontrol(2);
  communicators();
  MPI_Wtime();
  MPI_Finalize();
  return 0;
}
