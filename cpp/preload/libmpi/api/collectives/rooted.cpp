// Barrier, broadcast, gather and scatter.
#include "preload/libmpi/api/collectives/collective.hpp"

namespace odonata::libmpi::api {

BufferBlocks blocks(const void* data, std::int64_t count, MPI_Datatype type) {
  const Buffer whole = buffer(data, count, type);
  BufferBlocks result;
  result.data = whole.data;
  result.count = whole.count;
  result.type = whole.type;
  return result;
}

BufferBlocks blocks_or_in_place(const void* data, std::int64_t count, MPI_Datatype type) {
  if (!in_place(data)) return blocks(data, count, type);
  BufferBlocks result;
  result.in_place = true;
  return result;
}

namespace {

void set_root(CollectiveCall& c, Collective kind, int root) {
  c.kind = kind;
  c.root = root_in(*c.comm, root);
}

}  // namespace

ODONATA_MPI(int, Barrier, (MPI_Comm comm)) {
  return blocking(Function::Barrier, comm, [](CollectiveCall&) {});
}
ODONATA_MPI(int, Ibarrier, (MPI_Comm comm, MPI_Request* request)) {
  return nonblocking(Function::Ibarrier, comm, request, [](CollectiveCall&) {});
}
ODONATA_MPI(int, Barrier_init, (MPI_Comm comm, MPI_Info, MPI_Request* request)) {
  return persistent(Function::Barrier_init, comm, request, [](CollectiveCall&) {});
}

#define BCAST(Count, Displacement) (void* buf, Count count, MPI_Datatype type, int root)
ODONATA_COLLECTIVE(Bcast, Ibcast, BCAST, {
  set_root(c, Collective::bcast, root);
  if (is_root(c) || has_root(c)) c.recv = blocks(buf, count, type);
})

#define GATHER(Count, Displacement)                                                                \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount,    \
   MPI_Datatype recvtype, int root)
ODONATA_COLLECTIVE(Gather, Igather, GATHER, {
  set_root(c, Collective::gather, root);
  if (has_root(c)) c.send = blocks_or_in_place(sendbuf, sendcount, sendtype);
  if (is_root(c)) c.recv = blocks(recvbuf, recvcount, recvtype);
})

#define GATHERV(Count, Displacement)                                                               \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,                     \
   const Count* recvcounts, const Displacement* displs, MPI_Datatype recvtype, int root)
ODONATA_COLLECTIVE(Gatherv, Igatherv, GATHERV, {
  set_root(c, Collective::gatherv, root);
  if (has_root(c)) c.send = blocks_or_in_place(sendbuf, sendcount, sendtype);
  if (is_root(c)) c.recv = blocks(recvbuf, recvcounts, displs, c.comm->peers().size(), recvtype);
})

#define SCATTER(Count, Displacement)                                                               \
  (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount,    \
   MPI_Datatype recvtype, int root)
ODONATA_COLLECTIVE(Scatter, Iscatter, SCATTER, {
  set_root(c, Collective::scatter, root);
  if (is_root(c)) c.send = blocks(sendbuf, sendcount, sendtype);
  if (has_root(c)) c.recv = blocks_or_in_place(recvbuf, recvcount, recvtype);
})

#define SCATTERV(Count, Displacement)                                                              \
  (const void* sendbuf, const Count* sendcounts, const Displacement* displs,                       \
   MPI_Datatype sendtype, void* recvbuf, Count recvcount, MPI_Datatype recvtype, int root)
ODONATA_COLLECTIVE(Scatterv, Iscatterv, SCATTERV, {
  set_root(c, Collective::scatterv, root);
  if (is_root(c)) c.send = blocks(sendbuf, sendcounts, displs, c.comm->peers().size(), sendtype);
  if (has_root(c)) c.recv = blocks_or_in_place(recvbuf, recvcount, recvtype);
})

}  // namespace odonata::libmpi::api
