// Virtual topologies.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "odonata/live/order_question.hpp"
#include "preload/libmpi/core/communicators/comm.hpp"

namespace odonata::libmpi {

struct Topology {
  enum class Kind { cartesian, graph, distributed_graph };
  Kind kind = Kind::cartesian;
  // cartesian: ranks in row-major order
  std::vector<int> dims;
  std::vector<int> periods;
  // graph: neighbours of rank i are edges[index[i - 1]] to edges[index[i] - 1]
  std::vector<int> index;
  std::vector<int> edges;
  // distributed graph: neighbours of this rank
  std::vector<int> sources, destinations;
  std::vector<int> source_weights, destination_weights;
  bool weighted = false;
};

/// Neighbours of this rank in the order of the neighbourhood collectives, trace::nobody beyond the
/// edge of a grid. Throws Error if the communicator has no topology.
[[nodiscard]] std::vector<std::int32_t> sources(const Comm& comm);
[[nodiscard]] std::vector<std::int32_t> destinations(const Comm& comm);

/// All edges of a grid or a graph, each with the weight 1: a rank has one to each of its neighbours
/// for each time that it is one.
[[nodiscard]] std::vector<live::Edge> edges_of(const Topology& topology);

[[nodiscard]] std::vector<int> coordinates(const Topology& grid, int rank);
/// Rank at some coordinates, which are wrapped where the grid is periodic; trace::nobody beyond.
[[nodiscard]] std::int32_t rank_at(const Topology& grid, std::vector<int> coordinates);
/// The ranks `displacement` steps before and after one in a dimension.
struct Shift {
  std::int32_t source, destination;
};
[[nodiscard]] Shift shift(const Topology& grid, int rank, int dimension, int displacement);
/// Ways in which MPI_Dims_create balances. `closest` minimizes the difference of two dimensions, as
/// MPICH does; `by_factors` gives each prime factor, from the greatest on, to the dimension that is
/// smallest so far, as Open MPI does.
enum class Balance { closest, by_factors };
/// MPI_Dims_create: fills the zeros of `dims` so that the product is `nodes`.
void balance(int nodes, std::vector<int>& dims, Balance how);

}  // namespace odonata::libmpi
