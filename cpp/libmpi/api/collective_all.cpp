// Collectives in which everyone sends to everyone.
#include "libmpi/api/collective.hpp"

namespace odonata::libmpi::api {

#define ALLGATHER(Count, Place)                                                                    \
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

#define ALLGATHERV(Count, Place)                                                                   \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,                     \
   const Count* recvcounts, const Place* displs, MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Allgatherv, Iallgatherv, ALLGATHERV, {
  c.kind = Collective::allgatherv;
  c.send = blocks_or_in_place(sendbuf, sendcount, sendtype);
  c.recv = blocks(recvbuf, recvcounts, displs, c.comm->peers().size(), recvtype);
})

#define ALLTOALLV(Count, Place)                                                                    \
  (const void* sendbuf, const Count* sendcounts, const Place* sdispls, MPI_Datatype sendtype,      \
   void* recvbuf, const Count* recvcounts, const Place* rdispls, MPI_Datatype recvtype)
ODONATA_COLLECTIVE(Alltoallv, Ialltoallv, ALLTOALLV, {
  const int n = c.comm->peers().size();
  c.kind = Collective::alltoallv;
  c.send = blocks_or_in_place(sendbuf, sendcounts, sdispls, n, sendtype);
  c.recv = blocks(recvbuf, recvcounts, rdispls, n, recvtype);
})

#define ALLTOALLW(Count, Place)                                                                    \
  (const void* sendbuf, const Count* sendcounts, const Place* sdispls,                             \
   const MPI_Datatype* sendtypes, void* recvbuf, const Count* recvcounts, const Place* rdispls,    \
   const MPI_Datatype* recvtypes)
ODONATA_COLLECTIVE(Alltoallw, Ialltoallw, ALLTOALLW, {
  const int n = c.comm->peers().size();
  c.kind = Collective::alltoallv;
  c.send = blocks_or_in_place(sendbuf, sendcounts, sdispls, n, sendtypes);
  c.recv = blocks(recvbuf, recvcounts, rdispls, n, recvtypes);
})

}  // namespace odonata::libmpi::api
