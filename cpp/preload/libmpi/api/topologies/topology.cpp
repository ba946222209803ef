// Cartesian grids and graphs, which every rank knows whole.
#include "preload/libmpi/core/topologies/topology.hpp"

#include <algorithm>

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/core/communicators/communicators.hpp"
#include "preload/libmpi/core/topologies/reorder.hpp"

namespace odonata::libmpi::api {

namespace {

using Kind = Topology::Kind;

const Topology& topology_of(const Comm& comm, Kind kind, const char* what) {
  if (!comm.topology || comm.topology->kind != kind)
    throw Error{ErrorClass::topology, std::string("the communicator has no ") + what};
  return *comm.topology;
}
const Topology& grid_of(const Comm& comm) {
  return topology_of(comm, Kind::cartesian, "Cartesian topology");
}
const Topology& graph_of(const Comm& comm) {
  return topology_of(comm, Kind::graph, "graph topology");
}

std::int32_t rank_out(std::int32_t rank) { return rank == trace::nobody ? MPI_PROC_NULL : rank; }

void check_rank(const Comm& comm, int rank) {
  if (rank < 0 || rank >= comm.size())
    throw Error{ErrorClass::rank, "rank " + std::to_string(rank) + " in a communicator of " +
                                      std::to_string(comm.size())};
}

Topology make_grid(int ndims, const int dims[], const int periods[]) {
  require(ndims >= 0, ErrorClass::dims, "the number of dimensions is negative");
  Topology grid;
  grid.kind = Kind::cartesian;
  grid.dims.assign(array(dims, ndims), dims + ndims);
  static_cast<void>(array(periods, ndims));
  for (int d = 0; d < ndims; ++d) grid.periods.push_back(periods[d] != 0 ? 1 : 0);
  return grid;
}

// Number of ranks of a grid; Error if the communicator has fewer.
int size_of(const Topology& grid, const Comm& comm) {
  std::int64_t size = 1;
  for (const int dim : grid.dims) {
    require(dim > 0, ErrorClass::dims, "a dimension is not positive");
    size *= dim;
    if (size > comm.size())
      throw Error{ErrorClass::arg, "the grid has more places than the communicator has ranks, " +
                                       std::to_string(comm.size())};
  }
  return static_cast<int>(size);
}

Topology make_graph(const Comm& comm, int nnodes, const int index[], const int edges[]) {
  require(nnodes >= 0 && nnodes <= comm.size(), ErrorClass::arg,
          "the graph has more nodes than the communicator has ranks");
  Topology graph;
  graph.kind = Kind::graph;
  graph.index.assign(array(index, nnodes), index + nnodes);
  const int num_edges = nnodes == 0 ? 0 : index[nnodes - 1];
  require(std::ranges::is_sorted(graph.index) && (nnodes == 0 || index[0] >= 0), ErrorClass::arg,
          "the index of the graph decreases");
  graph.edges.assign(array(edges, num_edges), edges + num_edges);
  for (const int edge : graph.edges)
    if (edge < 0 || edge >= nnodes)
      throw Error{ErrorClass::arg, "the graph has an edge to node " + std::to_string(edge)};
  return graph;
}

Plan plan_of(const Topology& topology, int size, bool reorder) {
  return {
      .size = size, .reorder = reorder, .grid = topology.dims, .share = {}, .edges = [&topology] {
        return edges_of(topology);
      }};
}

MPI_Comm create(Function function, Comm& parent, Topology topology, int size, bool reorder) {
  const CommRef comm = lay_out(function, parent, plan_of(topology, size, reorder));
  if (comm) comm->topology = std::make_shared<const Topology>(std::move(topology));
  return add(comm);
}

}  // namespace

ODONATA_MPI(int, Topo_test, (MPI_Comm comm, int* status)) {
  return call(Function::Topo_test, comm, [&] {
    const CommRef found = comm_of(comm);
    out(status) = MPI_UNDEFINED;
    if (!found->topology) return;
    const Kind kind = found->topology->kind;
    out(status) = kind == Kind::cartesian ? MPI_CART
                  : kind == Kind::graph   ? MPI_GRAPH
                                          : MPI_DIST_GRAPH;
  });
}

// ---- grids

ODONATA_MPI(int, Cart_create,
            (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
             MPI_Comm* result)) {
  return call(Function::Cart_create, comm, [&] {
    out(result) = MPI_COMM_NULL;
    const CommRef parent = intracomm_of(comm);
    Topology grid = make_grid(ndims, dims, periods);
    const int size = size_of(grid, *parent);
    out(result) = create(Function::Cart_create, *parent, std::move(grid), size, reorder != 0);
  });
}

namespace {

#ifdef ODONATA_ABI_OPENMPI
constexpr Balance balance_as = Balance::by_factors;
#else
constexpr Balance balance_as = Balance::closest;
#endif

}  // namespace

ODONATA_MPI(int, Dims_create, (int nnodes, int ndims, int dims[])) {
  return call(Function::Dims_create, [&] {
    require(ndims >= 0, ErrorClass::dims, "the number of dimensions is negative");
    std::vector<int> all(array(dims, ndims), dims + ndims);
    if (ndims > 0) balance(nnodes, all, balance_as);
    std::ranges::copy(all, dims);
  });
}

ODONATA_MPI(int, Cartdim_get, (MPI_Comm comm, int* ndims)) {
  return call(Function::Cartdim_get, comm,
              [&] { out(ndims) = static_cast<int>(grid_of(*comm_of(comm)).dims.size()); });
}

ODONATA_MPI(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])) {
  return call(Function::Cart_get, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& grid = grid_of(*found);
    require(maxdims >= static_cast<int>(grid.dims.size()), ErrorClass::arg,
            "the grid has more dimensions than there is room for");
    const std::ptrdiff_t size = std::ssize(grid.dims);
    std::ranges::copy(grid.dims, array(dims, size));
    std::ranges::copy(grid.periods, array(periods, size));
    std::ranges::copy(coordinates(grid, found->rank), array(coords, size));
  });
}

ODONATA_MPI(int, Cart_rank, (MPI_Comm comm, const int coords[], int* rank)) {
  return call(Function::Cart_rank, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& grid = grid_of(*found);
    out(rank) = rank_at(grid, {array(coords, std::ssize(grid.dims)), coords + grid.dims.size()});
    require(*rank != trace::nobody, ErrorClass::arg, "the coordinates are outside the grid");
  });
}

ODONATA_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[])) {
  return call(Function::Cart_coords, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& grid = grid_of(*found);
    check_rank(*found, rank);
    require(maxdims >= static_cast<int>(grid.dims.size()), ErrorClass::arg,
            "the grid has more dimensions than there is room for");
    std::ranges::copy(coordinates(grid, rank), array(coords, std::ssize(grid.dims)));
  });
}

ODONATA_MPI(int, Cart_shift,
            (MPI_Comm comm, int dimension, int displacement, int* source, int* destination)) {
  return call(Function::Cart_shift, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& grid = grid_of(*found);
    require(dimension >= 0 && dimension < static_cast<int>(grid.dims.size()), ErrorClass::dims,
            "the grid has no such dimension");
    const Shift both = shift(grid, found->rank, dimension, displacement);
    out(source) = rank_out(both.source);
    out(destination) = rank_out(both.destination);
  });
}

// Ranks with the same coordinates in the dropped dimensions, ordered by the remaining ones.
ODONATA_MPI(int, Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* result)) {
  return call(Function::Cart_sub, comm, [&] {
    const CommRef parent = comm_of(comm);
    const Topology grid = grid_of(*parent);
    out(result) = MPI_COMM_NULL;
    static_cast<void>(array(remain, std::ssize(grid.dims)));
    const std::vector<int> place = coordinates(grid, parent->rank);
    Topology part;
    int color = 0, key = 0;
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      int& number = remain[d] != 0 ? key : color;
      number = number * grid.dims[d] + place[d];
      if (remain[d] == 0) continue;
      part.dims.push_back(grid.dims[d]);
      part.periods.push_back(grid.periods[d]);
    }
    const CommRef made = split(Function::Cart_sub, *parent, color, key);
    made->topology = std::make_shared<const Topology>(std::move(part));
    out(result) = add(made);
  });
}

namespace {

// The rank that this one has in a communicator of this topology.
int mapped_in(Function function, const Comm& comm, const Topology& topology, int size) {
  const int rank = mapped(function, comm, plan_of(topology, size, true));
  return rank < 0 ? MPI_UNDEFINED : rank;
}

}  // namespace

ODONATA_MPI(int, Cart_map,
            (MPI_Comm comm, int ndims, const int dims[], const int periods[], int* rank)) {
  return call(Function::Cart_map, comm, [&] {
    const CommRef found = intracomm_of(comm);
    const Topology grid = make_grid(ndims, dims, periods);
    out(rank) = mapped_in(Function::Cart_map, *found, grid, size_of(grid, *found));
  });
}

// ---- graphs

ODONATA_MPI(int, Graph_create,
            (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
             MPI_Comm* result)) {
  return call(Function::Graph_create, comm, [&] {
    out(result) = MPI_COMM_NULL;
    const CommRef parent = intracomm_of(comm);
    Topology graph = make_graph(*parent, nnodes, index, edges);
    out(result) = create(Function::Graph_create, *parent, std::move(graph), nnodes, reorder != 0);
  });
}

ODONATA_MPI(int, Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges)) {
  return call(Function::Graphdims_get, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& graph = graph_of(*found);
    out(nnodes) = static_cast<int>(graph.index.size());
    out(nedges) = static_cast<int>(graph.edges.size());
  });
}

ODONATA_MPI(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])) {
  return call(Function::Graph_get, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& graph = graph_of(*found);
    const auto some = [](const std::vector<int>& all, int most) {
      return std::min<std::ptrdiff_t>(std::ssize(all), std::max(most, 0));
    };
    const std::ptrdiff_t nodes = some(graph.index, maxindex), ends = some(graph.edges, maxedges);
    std::copy_n(graph.index.begin(), nodes, array(index, nodes));
    std::copy_n(graph.edges.begin(), ends, array(edges, ends));
  });
}

namespace {

std::span<const int> neighbors_of(const Comm& comm, int rank) {
  const Topology& graph = graph_of(comm);
  check_rank(comm, rank);
  const auto i = static_cast<std::size_t>(rank);
  const int start = i == 0 ? 0 : graph.index[i - 1];
  return std::span(graph.edges)
      .subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(graph.index[i] - start));
}

}  // namespace

ODONATA_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int* count)) {
  return call(Function::Graph_neighbors_count, comm,
              [&] { out(count) = static_cast<int>(neighbors_of(*comm_of(comm), rank).size()); });
}

ODONATA_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int most, int neighbors[])) {
  return call(Function::Graph_neighbors, comm, [&] {
    const CommRef found = comm_of(comm);
    const std::span<const int> all = neighbors_of(*found, rank);
    const auto count = std::min<std::ptrdiff_t>(std::ssize(all), std::max(most, 0));
    std::copy_n(all.begin(), count, array(neighbors, count));
  });
}

ODONATA_MPI(int, Graph_map,
            (MPI_Comm comm, int nnodes, const int index[], const int edges[], int* rank)) {
  return call(Function::Graph_map, comm, [&] {
    const CommRef found = intracomm_of(comm);
    const Topology graph = make_graph(*found, nnodes, index, edges);
    out(rank) = mapped_in(Function::Graph_map, *found, graph, nnodes);
  });
}

}  // namespace odonata::libmpi::api
