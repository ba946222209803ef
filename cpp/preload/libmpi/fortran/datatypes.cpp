// Functions with lists of datatypes, and functions of MPI-1 whose addresses are default integers.
#include "preload/libmpi/fortran/entry.hpp"

namespace {

using namespace odonata::libmpi::fortran;

using Types = HandleArray<MPI_Datatype>;

MPI_Datatype type_of(const MPI_Fint* integer) { return from_fortran<MPI_Datatype>(*integer); }
MPI_Comm comm_of(const MPI_Fint* integer) { return from_fortran<MPI_Comm>(*integer); }

std::vector<MPI_Aint> widen(const MPI_Fint* count, const MPI_Fint* values) {
  return {values, values + std::max(*count, 0)};
}

}  // namespace

ODONATA_MPI_FORTRAN(void, type_create_struct,
                    (MPI_Fint * count, MPI_Fint* lengths, MPI_Aint* displacements, void* types,
                     MPI_Fint* result, MPI_Fint* error)) {
  if (lacks(Function::Type_create_struct, error, count, elements(count, types), result)) return;
  Types list(*count, types);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  code(error) = PMPI_Type_create_struct(*count, lengths, displacements, list.data(), &type);
  *result = to_fortran(type);
}

ODONATA_MPI_FORTRAN(void, type_get_contents,
                    (MPI_Fint * type, MPI_Fint* most_integers, MPI_Fint* most_addresses,
                     MPI_Fint* most_types, MPI_Fint* integers, MPI_Aint* addresses, void* types,
                     MPI_Fint* error)) {
  if (lacks(Function::Type_get_contents, error, type, most_integers, most_addresses, most_types))
    return;
  MPI_Fint num_integers = 0, num_addresses = 0, num_types = 0, combiner = 0;
  PMPI_Type_get_envelope(type_of(type), &num_integers, &num_addresses, &num_types, &combiner);
  const int listed = std::min(*most_types, num_types);  // the rest of the array stays as it is
  if (lacks(Function::Type_get_contents, error, elements(&listed, types))) return;
  Types list(listed, types, Types::Direction::out);
  code(error) = PMPI_Type_get_contents(type_of(type), *most_integers, *most_addresses, *most_types,
                                       integers, addresses, list.data());
}

// ---- collectives with a datatype for each rank

namespace {

enum class Of { group, senders, receivers };

int num_types(MPI_Comm comm, Of whom) {
  int n = 0, unused = 0;
  if (whom == Of::group) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter != 0)
      PMPI_Comm_remote_size(comm, &n);
    else
      PMPI_Comm_size(comm, &n);
    return n;
  }
  int topology = MPI_UNDEFINED, weighted = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &n);
    return 2 * n;
  }
  if (topology == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &unused);
    PMPI_Graph_neighbors_count(comm, unused, &n);
    return n;
  }
  if (topology != MPI_DIST_GRAPH) return 0;
  if (whom == Of::senders)
    PMPI_Dist_graph_neighbors_count(comm, &n, &unused, &weighted);
  else
    PMPI_Dist_graph_neighbors_count(comm, &unused, &n, &weighted);
  return n;
}

}  // namespace

// Displacements are integers, or addresses among neighbours.
#define ODONATA_ALLTOALLW(name, Name, Displacement, to, from, MORE, CHECKED, ...)                  \
  ODONATA_MPI_FORTRAN(void, name,                                                                  \
                      (void* send, MPI_Fint* sendcounts, Displacement* sdispls, void* sendtypes,   \
                       void* recv, MPI_Fint* recvcounts, Displacement* rdispls, void* recvtypes,   \
                       MPI_Fint* comm, MORE MPI_Fint* error)) {                                    \
    if (lacks(Function::Name, error, comm CHECKED)) return;                                        \
    const MPI_Comm c = comm_of(comm);                                                              \
    const int num_sent = send == in_place() ? 0 : num_types(c, to);                                \
    const int num_received = num_types(c, from);                                                   \
    if (lacks(Function::Name, error, elements(&num_sent, sendtypes),                               \
              elements(&num_received, recvtypes)))                                                 \
      return;                                                                                      \
    Types sent(num_sent, sendtypes);                                                               \
    Types received(num_received, recvtypes);                                                       \
    [[maybe_unused]] MPI_Request request = MPI_REQUEST_NULL;                                       \
    code(error) = PMPI_##Name(buffer(send), sendcounts, sdispls, sent.data(), buffer(recv),        \
                              recvcounts, rdispls, received.data(), c __VA_OPT__(, ) __VA_ARGS__); \
    __VA_OPT__(*result = to_fortran(request);)                                                     \
  }
#define ODONATA_NOTHING
#define ODONATA_REQUEST MPI_Fint *result,
#define ODONATA_INIT MPI_Fint *info, MPI_Fint *result,
#define ODONATA_RESULT , result
#define ODONATA_INFO_RESULT , info, result

ODONATA_ALLTOALLW(alltoallw, Alltoallw, MPI_Fint, Of::group, Of::group, ODONATA_NOTHING,
                  ODONATA_NOTHING)
ODONATA_ALLTOALLW(ialltoallw, Ialltoallw, MPI_Fint, Of::group, Of::group, ODONATA_REQUEST,
                  ODONATA_RESULT, &request)
ODONATA_ALLTOALLW(neighbor_alltoallw, Neighbor_alltoallw, MPI_Aint, Of::receivers, Of::senders,
                  ODONATA_NOTHING, ODONATA_NOTHING)
ODONATA_ALLTOALLW(ineighbor_alltoallw, Ineighbor_alltoallw, MPI_Aint, Of::receivers, Of::senders,
                  ODONATA_REQUEST, ODONATA_RESULT, &request)
ODONATA_ALLTOALLW(alltoallw_init, Alltoallw_init, MPI_Fint, Of::group, Of::group, ODONATA_INIT,
                  ODONATA_INFO_RESULT, from_fortran<MPI_Info>(*info), &request)
ODONATA_ALLTOALLW(neighbor_alltoallw_init, Neighbor_alltoallw_init, MPI_Aint, Of::receivers,
                  Of::senders, ODONATA_INIT, ODONATA_INFO_RESULT, from_fortran<MPI_Info>(*info),
                  &request)

// ---- functions of MPI-1

ODONATA_MPI_FORTRAN(void, address, (void* location, MPI_Fint* address, MPI_Fint* error)) {
  if (lacks(Function::Address, error, address)) return;
  MPI_Aint wide = 0;
  code(error) = PMPI_Get_address(buffer(location), &wide);
  *address = static_cast<MPI_Fint>(wide);
}

ODONATA_MPI_FORTRAN(void, type_extent, (MPI_Fint * type, MPI_Fint* extent, MPI_Fint* error)) {
  if (lacks(Function::Type_extent, error, type, extent)) return;
  MPI_Aint lower = 0, wide = 0;
  code(error) = PMPI_Type_get_extent(type_of(type), &lower, &wide);
  *extent = static_cast<MPI_Fint>(wide);
}

ODONATA_MPI_FORTRAN(void, type_lb, (MPI_Fint * type, MPI_Fint* bound, MPI_Fint* error)) {
  if (lacks(Function::Type_lb, error, type, bound)) return;
  MPI_Aint lower = 0, extent = 0;
  code(error) = PMPI_Type_get_extent(type_of(type), &lower, &extent);
  *bound = static_cast<MPI_Fint>(lower);
}

ODONATA_MPI_FORTRAN(void, type_ub, (MPI_Fint * type, MPI_Fint* bound, MPI_Fint* error)) {
  if (lacks(Function::Type_ub, error, type, bound)) return;
  MPI_Aint lower = 0, extent = 0;
  code(error) = PMPI_Type_get_extent(type_of(type), &lower, &extent);
  *bound = static_cast<MPI_Fint>(lower + extent);
}

ODONATA_MPI_FORTRAN(void, type_hvector,
                    (MPI_Fint * count, MPI_Fint* length, MPI_Fint* stride, MPI_Fint* old,
                     MPI_Fint* result, MPI_Fint* error)) {
  if (lacks(Function::Type_hvector, error, count, length, stride, old, result)) return;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  code(error) = PMPI_Type_create_hvector(*count, *length, *stride, type_of(old), &type);
  *result = to_fortran(type);
}

ODONATA_MPI_FORTRAN(void, type_hindexed,
                    (MPI_Fint * count, MPI_Fint* lengths, MPI_Fint* displacements, MPI_Fint* old,
                     MPI_Fint* result, MPI_Fint* error)) {
  if (lacks(Function::Type_hindexed, error, count, elements(count, displacements), old, result))
    return;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  code(error) = PMPI_Type_create_hindexed(*count, lengths, widen(count, displacements).data(),
                                          type_of(old), &type);
  *result = to_fortran(type);
}

ODONATA_MPI_FORTRAN(void, type_struct,
                    (MPI_Fint * count, MPI_Fint* lengths, MPI_Fint* displacements, void* types,
                     MPI_Fint* result, MPI_Fint* error)) {
  if (lacks(Function::Type_struct, error, count, elements(count, displacements),
            elements(count, types), result))
    return;
  Types list(*count, types);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  code(error) = PMPI_Type_create_struct(*count, lengths, widen(count, displacements).data(),
                                        list.data(), &type);
  *result = to_fortran(type);
}
