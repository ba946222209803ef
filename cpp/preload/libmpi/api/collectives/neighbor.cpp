// Collectives on the neighbours of a virtual topology.
#include "preload/libmpi/api/collectives/collective.hpp"

namespace odonata::libmpi::api {

namespace {

int num_sources(const CollectiveCall& c) { return static_cast<int>(sources(*c.comm).size()); }
int num_destinations(const CollectiveCall& c) {
  return static_cast<int>(destinations(*c.comm).size());
}

}  // namespace

#define NEIGHBORS(Count, Displacement)                                                             \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount,    \
   MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, NEIGHBORS, {
  c.kind = Collective::neighbor_allgather;
  c.send = blocks(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcount, recvtype);
})
ODONATA_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, NEIGHBORS, {
  c.kind = Collective::neighbor_alltoall;
  c.send = blocks(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcount, recvtype);
})

#define NEIGHBOR_ALLGATHERV(Count, Displacement)                                                   \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,                     \
   const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, NEIGHBOR_ALLGATHERV, {
  c.kind = Collective::neighbor_allgather;
  c.send = blocks(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcounts, displs, num_sources(c), recvtype);
})

#define NEIGHBOR_ALLTOALLV(Count, Displacement)                                                    \
  (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,                      \
   MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,     \
   MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, NEIGHBOR_ALLTOALLV, {
  c.kind = Collective::neighbor_alltoall;
  c.send = blocks(sendbuf, sendcounts, sdispls, num_destinations(c), sendtype);
  c.recv = blocks(recvbuf, recvcounts, rdispls, num_sources(c), recvtype);
})

#define NEIGHBOR_ALLTOALLW(Count, Displacement)                                                    \
  (const void* sendbuf, const Count* sendcounts, const MPI_Aint* sdispls,                          \
   const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts, const MPI_Aint* rdispls, \
   const MPI_Datatype* recvtypes)
ODONATA_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, NEIGHBOR_ALLTOALLW, {
  c.kind = Collective::neighbor_alltoall;
  c.send = blocks(sendbuf, sendcounts, sdispls, num_destinations(c), sendtypes);
  c.recv = blocks(recvbuf, recvcounts, rdispls, num_sources(c), recvtypes);
})

}  // namespace odonata::libmpi::api
