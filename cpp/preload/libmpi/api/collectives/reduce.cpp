// Reductions.
#include "preload/libmpi/api/collectives/collective.hpp"

namespace odonata::libmpi::api {

namespace {

void set_vectors(CollectiveCall& c, const void* sendbuf, void* recvbuf, std::int64_t count,
                 MPI_Datatype type) {
  c.send = blocks_or_in_place(sendbuf, count, type);
  c.recv = blocks(recvbuf, count, type);
}

// Only the root has a vector to receive; the others have a null pointer of the same type.
void set_reduce(CollectiveCall& c, const void* sendbuf, void* recvbuf, std::int64_t count,
                MPI_Datatype type) {
  if (has_root(c)) c.send = blocks_or_in_place(sendbuf, count, type);
  if (is_root(c)) {
    c.recv = blocks(recvbuf, count, type);
  } else if (has_root(c)) {
    c.recv.type = type_of(type);
  }
}

template <class Count>
void set_scattered(CollectiveCall& c, const void* sendbuf, void* recvbuf, const Count* counts,
                   MPI_Datatype type) {
  c.send = blocks_or_in_place(sendbuf, 0, type);
  c.send.data = const_cast<void*>(sendbuf);
  c.recv = blocks(recvbuf, 0, type);
  c.recv.counts.assign(array(counts, c.comm->size()), counts + c.comm->size());
}

}  // namespace

#define VECTORS(Count, Displacement)                                                               \
  (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op)
ODONATA_COLLECTIVE(Allreduce, Iallreduce, VECTORS, {
  c.kind = Collective::allreduce;
  c.op = op_of(op);
  set_vectors(c, sendbuf, recvbuf, count, type);
})
ODONATA_COLLECTIVE(Scan, Iscan, VECTORS, {
  c.kind = Collective::scan;
  c.op = op_of(op);
  set_vectors(c, sendbuf, recvbuf, count, type);
})
ODONATA_COLLECTIVE(Exscan, Iexscan, VECTORS, {
  c.kind = Collective::exscan;
  c.op = op_of(op);
  c.send = blocks_or_in_place(sendbuf, count, type);
  c.recv = blocks(recvbuf, c.comm->rank == 0 && !c.send.in_place ? 0 : count, type);
  c.recv.count = count;  // at the first rank nothing comes, and the buffer may be null
})
ODONATA_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, VECTORS, {
  c.kind = Collective::reduce_scatter_block;
  c.op = op_of(op);
  set_vectors(c, sendbuf, recvbuf, count, type);
})

#define REDUCE(Count, Displacement)                                                                \
  (const void* sendbuf, void* recvbuf, Count count, MPI_Datatype type, MPI_Op op, int root)
ODONATA_COLLECTIVE(Reduce, Ireduce, REDUCE, {
  c.kind = Collective::reduce;
  c.root = root_in(*c.comm, root);
  c.op = op_of(op);
  set_reduce(c, sendbuf, recvbuf, count, type);
})

#define REDUCE_SCATTER(Count, Displacement)                                                        \
  (const void* sendbuf, void* recvbuf, const Count* recvcounts, MPI_Datatype type, MPI_Op op)
ODONATA_COLLECTIVE(Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER, {
  c.kind = Collective::reduce_scatter;
  c.op = op_of(op);
  set_scattered(c, sendbuf, recvbuf, recvcounts, type);
})

}  // namespace odonata::libmpi::api
