#include "preload/libprofile/communicators.hpp"

#include <numeric>

#include "preload/libprofile/real.hpp"

namespace odonata::libprofile {

namespace {

std::vector<int> first_numbers(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void add_cartesian(MPI_Comm comm, Comm& to) {
  int dimensions = 0;
  ODONATA_REAL(Cartdim_get)(comm, &dimensions);
  for (int i = 0; i < dimensions; ++i) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    ODONATA_REAL(Cart_shift)(comm, i, 1, &below, &above);
    to.sources.insert(to.sources.end(), {below, above});
  }
  to.destinations = to.sources;
}

void add_graph(MPI_Comm comm, Comm& to) {
  int n = 0;
  ODONATA_REAL(Graph_neighbors_count)(comm, to.rank, &n);
  to.sources.resize(static_cast<std::size_t>(n));
  ODONATA_REAL(Graph_neighbors)(comm, to.rank, n, to.sources.data());
  to.destinations = to.sources;
}

void add_distributed(MPI_Comm comm, Comm& to) {
  int in = 0, out = 0, weighted = 0;
  ODONATA_REAL(Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
  to.sources.resize(static_cast<std::size_t>(in));
  to.destinations.resize(static_cast<std::size_t>(out));
  std::vector<int> before(to.sources.size() + 1), after(to.destinations.size() + 1);
  ODONATA_REAL(Dist_graph_neighbors)
  (comm, in, to.sources.data(), before.data(), out, to.destinations.data(), after.data());
}

}  // namespace

void Communicators::start() {
  known_.clear();
  recent_ = nullptr;
  ODONATA_REAL(Comm_group)(comm_world(), &world_);
}

Comm& Communicators::at(MPI_Comm comm) {
  const std::uint64_t bits = bits_of(comm);
  if (recent_ != nullptr && recent_bits_ == bits) return *recent_;
  auto found = known_.find(bits);
  if (found == known_.end()) found = known_.emplace(bits, look_up(comm)).first;
  recent_bits_ = bits;
  return *(recent_ = &found->second);
}

Comm Communicators::look_up(MPI_Comm comm) const {
  Comm made;
  int inter = 0;
  MPI_Group group{};
  ODONATA_REAL(Comm_test_inter)(comm, &inter);
  ODONATA_REAL(Comm_rank)(comm, &made.rank);
  ODONATA_REAL(Comm_size)(comm, &made.num_local);
  made.inter = inter != 0;
  made.num_peers = made.num_local;
  if (made.inter) {
    ODONATA_REAL(Comm_remote_size)(comm, &made.num_peers);
    ODONATA_REAL(Comm_remote_group)(comm, &group);
  } else {
    ODONATA_REAL(Comm_group)(comm, &group);
  }
  made.peers = in_world(group);
  ODONATA_REAL(Group_free)(&group);
  if (made.inter) {
    ODONATA_REAL(Comm_group)(comm, &group);
    made.locals = in_world(group);
    ODONATA_REAL(Group_free)(&group);
  }
  return made;
}

std::vector<std::int32_t> Communicators::in_world(MPI_Group group) const {
  int size = 0;
  ODONATA_REAL(Group_size)(group, &size);
  const std::vector<int> all = first_numbers(size);
  std::vector<std::int32_t> ranks(all.size());
  ODONATA_REAL(Group_translate_ranks)(group, size, all.data(), world_, ranks.data());
  return ranks;
}

Comm& Communicators::with_neighbors(MPI_Comm comm) {
  Comm& known = at(comm);
  if (known.knows_neighbors) return known;
  int topology = MPI_UNDEFINED;
  ODONATA_REAL(Topo_test)(comm, &topology);
  if (topology == MPI_CART) add_cartesian(comm, known);
  if (topology == MPI_GRAPH) add_graph(comm, known);
  if (topology == MPI_DIST_GRAPH) add_distributed(comm, known);
  known.knows_neighbors = true;
  return known;
}

void Communicators::forget(MPI_Comm comm) {
  known_.erase(bits_of(comm));
  recent_ = nullptr;
}

}  // namespace odonata::libprofile
