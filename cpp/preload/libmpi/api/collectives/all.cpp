// Allgather and alltoall in all their forms.
#include "preload/libmpi/api/collectives/collective.hpp"

namespace odonata::libmpi::api {

#define ALLGATHER(Count, Displacement)                                                             \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount,    \
   MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Allgather, Iallgather, ALLGATHER, {
  c.kind = Collective::allgather;
  c.send = blocks_or_in_place(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcount, recvtype);
})
ODONATA_COLLECTIVE(Alltoall, Ialltoall, ALLGATHER, {
  c.kind = Collective::alltoall;
  c.send = blocks_or_in_place(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcount, recvtype);
})

#define ALLGATHERV(Count, Displacement)                                                            \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,                     \
   const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Allgatherv, Iallgatherv, ALLGATHERV, {
  c.kind = Collective::allgatherv;
  c.send = blocks_or_in_place(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcounts, displs, c.comm->peers().size(), recvtype);
})

#define ALLTOALLV(Count, Displacement)                                                             \
  (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,                      \
   MPI_Datatype sendtype, void* recvbuf, const Count* recvcounts, const Displacement* rdispls,     \
   MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Alltoallv, Ialltoallv, ALLTOALLV, {
  const int n = c.comm->peers().size();
  c.kind = Collective::alltoallv;
  c.send = blocks_or_in_place(sendbuf, sendcounts, sdispls, n, sendtype);
  c.recv = blocks(recvbuf, recvcounts, rdispls, n, recvtype);
})

#define ALLTOALLW(Count, Displacement)                                                             \
  (const void* sendbuf, const Count* sendcounts, const Displacement* sdispls,                      \
   const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts,                          \
   const Displacement* rdispls, const MPI_Datatype* recvtypes)
ODONATA_COLLECTIVE(Alltoallw, Ialltoallw, ALLTOALLW, {
  const int n = c.comm->peers().size();
  c.kind = Collective::alltoallw;
  c.send = blocks_or_in_place(sendbuf, sendcounts, sdispls, n, sendtypes);
  c.recv = blocks(recvbuf, recvcounts, rdispls, n, recvtypes);
})

}  // namespace odonata::libmpi::api
