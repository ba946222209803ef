// Distributed graphs: every rank states some of the edges.
#include <algorithm>
#include <cstring>
#include <optional>

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/core/collectives/exchange.hpp"
#include "preload/libmpi/core/topologies/reorder.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi::api {

namespace {

bool unweighted(const int* weights) { return weights == MPI_UNWEIGHTED; }

void check_ranks(const Comm& comm, int count, const int ranks[]) {
  require(count >= 0, ErrorClass::arg, "the number of neighbours is negative");
  static_cast<void>(array(ranks, count));
  for (int i = 0; i < count; ++i)
    if (ranks[i] < 0 || ranks[i] >= comm.size())
      throw Error{ErrorClass::arg, "the neighbour " + std::to_string(ranks[i]) +
                                       " of a communicator of " + std::to_string(comm.size())};
}

void check_weights(int count, const int* weights) {
  if (unweighted(weights) || count == 0) return;
  require(weights != nullptr && weights != MPI_WEIGHTS_EMPTY, ErrorClass::arg,
          "there are neighbours, and no weights");
  for (int i = 0; i < count; ++i)
    if (weights[i] < 0)
      throw Error{ErrorClass::arg, "the weight " + std::to_string(weights[i]) + " is negative"};
}

std::vector<int> weights_of(int count, const int* weights) {
  check_weights(count, weights);
  if (unweighted(weights) || count == 0) return {};
  return {weights, weights + count};
}

// ---- integers that ranks exchange

struct Said {
  explicit Said(const std::vector<std::byte>& bytes) : values(bytes.size() / sizeof(int)) {
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  [[nodiscard]] int next() { return values.at(place++); }
  [[nodiscard]] std::vector<int> next(int count) {
    std::vector<int> some;
    for (int i = 0; i < count; ++i) some.push_back(next());
    return some;
  }
  [[nodiscard]] bool over() const { return place == values.size(); }

  std::vector<int> values;
  std::size_t place = 0;
};

std::vector<std::byte> bytes_of(const std::vector<int>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void append(std::vector<int>& values, const std::vector<int>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

std::vector<int> written(const Topology& part) {
  std::vector<int> values{static_cast<int>(part.sources.size()),
                          static_cast<int>(part.destinations.size()), part.weighted ? 1 : 0};
  append(values, part.sources);
  append(values, part.destinations);
  append(values, part.source_weights);
  append(values, part.destination_weights);
  return values;
}

Topology read_part(const std::vector<std::byte>& bytes) {
  Said said(bytes);
  const int num_sources = said.next(), num_destinations = said.next();
  Topology part;
  part.kind = Topology::Kind::distributed_graph;
  part.weighted = said.next() != 0;
  part.sources = said.next(num_sources);
  part.destinations = said.next(num_destinations);
  if (part.weighted) part.source_weights = said.next(num_sources);
  if (part.weighted) part.destination_weights = said.next(num_destinations);
  return part;
}

// ---- making

MPI_Comm give(const CommRef& comm, Topology part) {
  comm->topology = std::make_shared<const Topology>(std::move(part));
  return add(comm);
}

// All edges; each rank has stated the edges that start at it.
std::vector<live::Edge> edges_of_parts(const libmpi::Said& everyone) {
  std::vector<live::Edge> edges;
  for (std::size_t rank = 0; rank < everyone.size(); ++rank) {
    const Topology part = read_part(everyone[rank]);
    for (std::size_t i = 0; i < part.destinations.size(); ++i)
      edges.push_back({static_cast<int>(rank), part.destinations[i],
                       part.weighted ? part.destination_weights[i] : 1});
  }
  return edges;
}

// A rank of the new communicator has the neighbours of the rank of the old one with its number.
MPI_Comm adjacent(Function function, Comm& parent, Topology part, bool reorder) {
  std::optional<libmpi::Said> everyone;
  const auto share = [&] { everyone = exchange(parent, bytes_of(written(part)), function); };
  const CommRef comm = lay_out(
      function, parent, {.size = parent.size(), .reorder = reorder, .share = share, .edges = [&] {
                           return edges_of_parts(*everyone);
                         }});
  if (comm->group->members == parent.group->members) return give(comm, std::move(part));
  if (!everyone) share();
  return give(comm, read_part(everyone->at(comm->rank)));
}

// All edges, whoever has stated them.
std::vector<live::Edge> stated_edges(const libmpi::Said& everyone, bool weighted) {
  std::vector<live::Edge> edges;
  for (const auto& bytes : everyone)
    for (Said said(bytes); !said.over();) {
      const int source = said.next(), destination = said.next(), weight = said.next();
      edges.push_back({source, destination, weighted ? weight : 1});
    }
  return edges;
}

// Edges that start or end at one node, in the order of the ranks that stated them.
Topology part_of(const libmpi::Said& everyone, int node, bool weighted) {
  Topology part;
  part.kind = Topology::Kind::distributed_graph;
  part.weighted = weighted;
  for (const auto& bytes : everyone) {
    Said said(bytes);
    while (!said.over()) {
      const int source = said.next(), destination = said.next(), weight = said.next();
      if (source == node) {
        part.destinations.push_back(destination);
        if (weighted) part.destination_weights.push_back(weight);
      }
      if (destination == node) {
        part.sources.push_back(source);
        if (weighted) part.source_weights.push_back(weight);
      }
    }
  }
  return part;
}

void copy_some(const std::vector<int>& from, int most, int* to) {
  const auto count = std::min<std::ptrdiff_t>(std::ssize(from), std::max(most, 0));
  std::copy_n(from.begin(), count, array(to, count));
}

const Topology& distributed_graph_of(const Comm& comm) {
  require(comm.topology && comm.topology->kind == Topology::Kind::distributed_graph,
          ErrorClass::topology, "the communicator has no distributed graph topology");
  return *comm.topology;
}

}  // namespace

ODONATA_MPI(int, Dist_graph_create_adjacent,
            (MPI_Comm comm, int indegree, const int sources[], const int source_weights[],
             int outdegree, const int destinations[], const int destination_weights[],
             MPI_Info info, int reorder, MPI_Comm* result)) {
  return call(Function::Dist_graph_create_adjacent, comm, [&] {
    out(result) = MPI_COMM_NULL;
    const CommRef parent = intracomm_of(comm);
    static_cast<void>(info_of(info));
    check_ranks(*parent, indegree, sources);
    check_ranks(*parent, outdegree, destinations);
    require(unweighted(source_weights) == unweighted(destination_weights), ErrorClass::arg,
            "only one of the weights is MPI_UNWEIGHTED");
    Topology part;
    part.kind = Topology::Kind::distributed_graph;
    part.weighted = !unweighted(source_weights);
    part.sources.assign(sources, sources + indegree);
    part.destinations.assign(destinations, destinations + outdegree);
    part.source_weights = weights_of(indegree, source_weights);
    part.destination_weights = weights_of(outdegree, destination_weights);
    *result =
        adjacent(Function::Dist_graph_create_adjacent, *parent, std::move(part), reorder != 0);
  });
}

ODONATA_MPI(int, Dist_graph_create,
            (MPI_Comm comm, int n, const int nodes[], const int degrees[], const int targets[],
             const int weights[], MPI_Info info, int reorder, MPI_Comm* result)) {
  return call(Function::Dist_graph_create, comm, [&] {
    out(result) = MPI_COMM_NULL;
    const CommRef parent = intracomm_of(comm);
    static_cast<void>(info_of(info));
    check_ranks(*parent, n, nodes);
    static_cast<void>(array(degrees, n));
    std::vector<int> mine;  // source, destination, weight of each edge
    std::size_t edge = 0;
    for (int i = 0; i < n; ++i) {
      check_ranks(*parent, degrees[i], targets + edge);
      check_weights(degrees[i], unweighted(weights) ? weights : weights + edge);
      for (int k = 0; k < degrees[i]; ++k, ++edge)
        append(mine, {nodes[i], targets[edge], unweighted(weights) ? 0 : weights[edge]});
    }
    const auto function = Function::Dist_graph_create;
    const bool weighted = !unweighted(weights);
    std::optional<libmpi::Said> everyone;
    const auto share = [&] { everyone = exchange(*parent, bytes_of(mine), function); };
    const CommRef made =
        lay_out(function, *parent,
                {.size = parent->size(), .reorder = reorder != 0, .share = share, .edges = [&] {
                   return stated_edges(*everyone, weighted);
                 }});
    if (!everyone) share();
    out(result) = give(made, part_of(*everyone, made->rank, weighted));
  });
}

ODONATA_MPI(int, Dist_graph_neighbors_count,
            (MPI_Comm comm, int* indegree, int* outdegree, int* weighted)) {
  return call(Function::Dist_graph_neighbors_count, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& graph = distributed_graph_of(*found);
    out(indegree) = static_cast<int>(graph.sources.size());
    out(outdegree) = static_cast<int>(graph.destinations.size());
    out(weighted) = graph.weighted ? 1 : 0;
  });
}

ODONATA_MPI(int, Dist_graph_neighbors,
            (MPI_Comm comm, int max_in, int sources[], int source_weights[], int max_out,
             int destinations[], int destination_weights[])) {
  return call(Function::Dist_graph_neighbors, comm, [&] {
    const CommRef found = comm_of(comm);
    const Topology& graph = distributed_graph_of(*found);
    copy_some(graph.sources, max_in, sources);
    copy_some(graph.destinations, max_out, destinations);
    if (!graph.weighted) return;
    if (!unweighted(source_weights)) copy_some(graph.source_weights, max_in, source_weights);
    if (!unweighted(destination_weights))
      copy_some(graph.destination_weights, max_out, destination_weights);
  });
}

}  // namespace odonata::libmpi::api
