// Each rank prints its rank in topologies that may reorder ranks. In each of them it sends its rank
// to its neighbours, which check that it came from where the topology says.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int rank_in(MPI_Comm comm) {
  int rank = -1;
  if (comm != MPI_COMM_NULL) MPI_Comm_rank(comm, &rank);
  return rank;
}

// Neighbours' ranks by a neighbourhood collective, against the topology.
static void check_graph(MPI_Comm comm) {
  int in, out, weighted, rank = rank_in(comm);
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  int from[8], to[8], weights_in[8], weights_out[8], came[8];
  MPI_Dist_graph_neighbors(comm, in, from, weights_in, out, to, weights_out);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, came, 1, MPI_INT, comm);
  for (int i = 0; i < in; ++i) require(came[i] == from[i], "neighbours of a graph");
}

static void check_grid(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  int rank = rank_in(comm), came, ndims;
  MPI_Cartdim_get(comm, &ndims);
  for (int d = 0; d < ndims; ++d) {
    int source, target;
    MPI_Cart_shift(comm, d, 1, &source, &target);
    came = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, target, 0, &came, 1, MPI_INT, source, 0, comm,
                 MPI_STATUS_IGNORE);
    require(source == MPI_PROC_NULL || came == source, "neighbours of a grid");
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank % 2 == 1) MPI_Wtime();  // waits for the simulator before it creates topologies
  const int reorder = argc < 2 || atoi(argv[1]) != 0;
  const int half = size / 2, other = (rank + half) % size;
  const int dims[2] = {2, half}, row[1] = {half}, open[2] = {0, 0};

  MPI_Comm grid, part, far, weighted, stated, graph;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open, reorder, &grid);
  MPI_Cart_create(MPI_COMM_WORLD, 1, row, open, reorder, &part);
  int map;
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, open, &map);

  // pairs of ranks that are far apart, without weights
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &far);
  // the same in the first four ranks alone: the others have no neighbours and no weights
  const int near = rank ^ 2, one = 7, few = rank < 4 ? 1 : 0;
  const int* weights = few ? &one : MPI_WEIGHTS_EMPTY;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, few, &near, weights, few, &near, weights,
                                 MPI_INFO_NULL, reorder, &weighted);
  // rank 0 states all edges
  int nodes[64], degrees[64], targets[64], index[64];
  for (int i = 0; i < size; ++i) {
    nodes[i] = i, degrees[i] = 1, targets[i] = (i + half) % size, index[i] = i + 1;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? size : 0, nodes, degrees, targets,
                        MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &stated);
  MPI_Graph_create(MPI_COMM_WORLD, size, index, targets, reorder, &graph);

  check_grid(grid);
  check_grid(part);
  check_graph(far);
  check_graph(weighted);
  check_graph(stated);
  int coords[2];
  MPI_Cart_coords(grid, rank_in(grid), 2, coords);
  printf("rank %d: grid %d, row %d, column %d, map %d, part %d, far %d, weighted %d, stated %d, "
         "graph %d\n", rank, rank_in(grid), coords[0], coords[1], map, rank_in(part), rank_in(far),
         rank_in(weighted), rank_in(stated), rank_in(graph));
  MPI_Finalize();
  return 0;
}
