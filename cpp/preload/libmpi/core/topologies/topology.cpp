#include "preload/libmpi/core/topologies/topology.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "odonata/trace/call.hpp"
#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi {

// ---- grids

std::vector<int> coordinates(const Topology& grid, int rank) {
  std::vector<int> place(grid.dims.size());
  for (std::size_t d = grid.dims.size(); d-- > 0;) {
    place[d] = rank % grid.dims[d];
    rank /= grid.dims[d];
  }
  return place;
}

std::int32_t rank_at(const Topology& grid, std::vector<int> coordinates) {
  std::int32_t rank = 0;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const int size = grid.dims[d];
    int& place = coordinates[d];
    if (grid.periods[d] != 0) place = (place % size + size) % size;
    if (place < 0 || place >= size) return trace::nobody;
    rank = rank * size + place;
  }
  return rank;
}

Shift shift(const Topology& grid, int rank, int dimension, int displacement) {
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<int> before = coordinates(grid, rank), after = before;
  before[d] -= displacement;
  after[d] += displacement;
  return {rank_at(grid, std::move(before)), rank_at(grid, std::move(after))};
}

namespace {

std::vector<int> prime_factors(int n) {
  std::vector<int> factors;
  for (int prime = 2; prime * prime <= n; ++prime)
    for (; n % prime == 0; n /= prime) factors.push_back(prime);
  if (n > 1) factors.push_back(n);
  return factors;
}

// Gives each factor, from the greatest on, to the dimension that is smallest so far.
std::vector<int> by_factors(int nodes, std::size_t num_dims) {
  std::vector<int> dims(num_dims, 1);
  std::vector<int> factors = prime_factors(nodes);
  std::ranges::sort(factors, std::greater{});
  for (const int factor : factors) *std::ranges::min_element(dims) *= factor;
  std::ranges::sort(dims, std::greater{});
  return dims;
}

// Enumerates the products that equal a number, factors in ascending order.
class Closest {
 public:
  Closest(int nodes, std::size_t num_dims) : best_(num_dims, 1), dims_(num_dims, 1) {
    best_.back() = nodes;
    for (int d = 1; d <= nodes / d; ++d)
      if (nodes % d == 0) divisors_.push_back(d);
    search(0, nodes);
  }
  [[nodiscard]] std::vector<int> found() const { return {best_.rbegin(), best_.rend()}; }

 private:
  // Tries large factors first. Among equal differences the product with the largest small factors
  // stays.
  void search(std::size_t place, int rest) {
    if (place + 1 == dims_.size()) {
      dims_[place] = rest;
      if (rest - dims_[0] < best_.back() - best_[0]) best_ = dims_;
      return;
    }
    const int least = place == 0 ? 1 : dims_[place - 1];
    const auto left = static_cast<double>(dims_.size() - place);
    const double mean = std::pow(static_cast<double>(rest), 1 / left) * (1 + 1e-9);
    for (auto d = std::ranges::upper_bound(divisors_, mean); d-- != divisors_.begin();) {
      if (*d < least) return;
      if (place == 0 && mean - *d > best_.back() - best_[0]) return;
      if (rest % *d != 0) continue;
      dims_[place] = *d;
      search(place + 1, rest / *d);
    }
  }

  std::vector<int> best_, dims_, divisors_;
};

}  // namespace

void balance(int nodes, std::vector<int>& dims, Balance how) {
  int fixed = 1;
  for (const int dim : dims) {
    if (dim < 0) throw Error{ErrorClass::dims, "a dimension is negative"};
    if (dim > 0) fixed *= dim;
  }
  const auto num_free = static_cast<std::size_t>(std::ranges::count(dims, 0));
  if (nodes < 1) throw Error{ErrorClass::dims, "the number of nodes is not positive"};
  if (nodes % fixed != 0 || (num_free == 0 && fixed != nodes))
    throw Error{ErrorClass::dims, std::to_string(nodes) +
                                      " nodes are not a multiple of the given dimensions, " +
                                      std::to_string(fixed)};
  if (num_free == 0) return;
  const std::vector<int> free = how == Balance::closest ? Closest(nodes / fixed, num_free).found()
                                                        : by_factors(nodes / fixed, num_free);
  auto next = free.begin();
  for (int& dim : dims)
    if (dim == 0) dim = *next++;
}

// ---- neighbours

namespace {

const Topology& topology_of(const Comm& comm) {
  if (!comm.topology) throw Error{ErrorClass::topology, "the communicator has no topology"};
  return *comm.topology;
}

std::vector<std::int32_t> grid_neighbors(const Topology& grid, int rank) {
  std::vector<std::int32_t> ranks;
  for (int d = 0; d < static_cast<int>(grid.dims.size()); ++d) {
    const Shift both = shift(grid, rank, d, 1);
    ranks.push_back(both.source);
    ranks.push_back(both.destination);
  }
  return ranks;
}

std::vector<std::int32_t> graph_neighbors(const Topology& graph, int rank) {
  const auto i = static_cast<std::size_t>(rank);
  const int start = i == 0 ? 0 : graph.index[i - 1];
  return {graph.edges.begin() + start, graph.edges.begin() + graph.index[i]};
}

std::vector<std::int32_t> neighbors(const Topology& topology, int rank) {
  return topology.kind == Topology::Kind::cartesian ? grid_neighbors(topology, rank)
                                                    : graph_neighbors(topology, rank);
}

int places_of(const Topology& topology) {
  if (topology.kind == Topology::Kind::graph) return static_cast<int>(topology.index.size());
  return std::accumulate(topology.dims.begin(), topology.dims.end(), 1, std::multiplies{});
}

}  // namespace

std::vector<live::Edge> edges_of(const Topology& topology) {
  std::vector<live::Edge> edges;
  for (int rank = 0; rank < places_of(topology); ++rank)
    for (const std::int32_t neighbor : neighbors(topology, rank))
      if (neighbor != trace::nobody) edges.push_back({rank, neighbor, 1});
  return edges;
}

std::vector<std::int32_t> sources(const Comm& comm) {
  const Topology& topology = topology_of(comm);
  if (topology.kind != Topology::Kind::distributed_graph) return neighbors(topology, comm.rank);
  return {topology.sources.begin(), topology.sources.end()};
}

std::vector<std::int32_t> destinations(const Comm& comm) {
  const Topology& topology = topology_of(comm);
  if (topology.kind != Topology::Kind::distributed_graph) return sources(comm);
  return {topology.destinations.begin(), topology.destinations.end()};
}

}  // namespace odonata::libmpi
