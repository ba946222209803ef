// Sends and receives.
#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/point_to_point/buffered.hpp"
#include "preload/libmpi/api/requests/orphans.hpp"

namespace odonata::libmpi::api {

using trace::Mode;

namespace {

struct Arguments {
  std::int64_t count;
  MPI_Datatype type;
  int rank, tag;
  MPI_Comm comm;
};

// MPI_PROC_NULL needs no datatype.
Buffer buffer_for(const Peer& peer, const void* data, const Arguments& a) {
  if (peer.rank == trace::nobody && a.type == MPI_DATATYPE_NULL) return buffer(data, 0, MPI_BYTE);
  return buffer(data, a.count, a.type);
}

bool in_buffer(const Peer& to, Mode mode) {
  return mode == Mode::buffered && to.rank != trace::nobody;
}

int send(Function function, const void* data, const Arguments& a, Mode mode) {
  return call(function, a.comm, [&] {
    const Peer to = destination(a.comm, a.rank, a.tag);
    const Buffer from = buffer_for(to, data, a);
    if (in_buffer(to, mode)) return bsend_buffer_of(*to.comm).send(function, from, to);
    libmpi::send(function, from, to, mode);
  });
}

int isend(Function function, const void* data, const Arguments& a, Mode mode,
          MPI_Request* request) {
  return call(function, a.comm, [&] {
    MPI_Request& made = out(request);
    const Peer to = destination(a.comm, a.rank, a.tag);
    const Buffer from = buffer_for(to, data, a);
    if (!in_buffer(to, mode)) return void(made = add(libmpi::isend(function, from, to, mode)));
    const RequestRef buffered = buffered_send(from, to);
    buffered->start(function);
    made = add(buffered);
  });
}

int send_init(Function function, const void* data, const Arguments& a, Mode mode,
              MPI_Request* request) {
  return call(function, a.comm, [&] {
    MPI_Request& made = out(request);
    const Peer to = destination(a.comm, a.rank, a.tag);
    const Buffer from = buffer_for(to, data, a);
    if (!in_buffer(to, mode)) return void(made = add(libmpi::send_init(from, to, mode)));
    const RequestRef buffered = buffered_send(from, to);
    buffered->persistent = true;
    made = add(buffered);
  });
}

int recv(Function function, void* data, const Arguments& a, MPI_Status* status) {
  return call(function, a.comm, [&] {
    const Peer from = source(a.comm, a.rank, a.tag);
    write_status(status, libmpi::recv(function, buffer_for(from, data, a), from));
  });
}

int irecv(Function function, void* data, const Arguments& a, MPI_Request* request) {
  return call(function, a.comm, [&] {
    MPI_Request& made = out(request);
    const Peer from = source(a.comm, a.rank, a.tag);
    made = add(libmpi::irecv(function, buffer_for(from, data, a), from));
  });
}

int recv_init(Function function, void* data, const Arguments& a, MPI_Request* request) {
  return call(function, a.comm, [&] {
    MPI_Request& made = out(request);
    const Peer from = source(a.comm, a.rank, a.tag);
    made = add(libmpi::recv_init(buffer_for(from, data, a), from));
  });
}

int sendrecv(Function function, const void* out, const Arguments& to, void* in,
             const Arguments& from, MPI_Status* status) {
  return call(function, to.comm, [&] {
    const Peer destination_peer = destination(to.comm, to.rank, to.tag);
    const Peer source_peer = source(from.comm, from.rank, from.tag);
    write_status(status,
                 libmpi::sendrecv(function, buffer_for(destination_peer, out, to), destination_peer,
                                  buffer_for(source_peer, in, from), source_peer));
  });
}

// The data of the send are copied at once, so the request stands for the receive.
int isendrecv(Function function, const void* out, const Arguments& to, void* in,
              const Arguments& from, MPI_Request* request) {
  return call(function, to.comm, [&] {
    MPI_Request& made = api::out(request);
    const Peer destination_peer = destination(to.comm, to.rank, to.tag);
    const Peer source_peer = source(from.comm, from.rank, from.tag);
    const Buffer into = buffer_for(source_peer, in, from);
    orphan(libmpi::isend(function, buffer_for(destination_peer, out, to), destination_peer,
                         Mode::standard));
    made = add(libmpi::irecv(function, into, source_peer));
  });
}

}  // namespace

// Each function has two forms, with counts of type int and MPI_Count.

#define ODONATA_SEND(name, Count, mode)                                                            \
  ODONATA_MPI(                                                                                     \
      int, name,                                                                                   \
      (const void* buf, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)) {       \
    return send(Function::name, buf, {count, type, dest, tag, comm}, mode);                        \
  }
#define ODONATA_ISEND(start, name, Count, mode)                                                    \
  ODONATA_MPI(int, name,                                                                           \
              (const void* buf, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,  \
               MPI_Request* request)) {                                                            \
    return start(Function::name, buf, {count, type, dest, tag, comm}, mode, request);              \
  }
#define ODONATA_SENDS(blocking, nonblocking, mode)                                                 \
  ODONATA_SEND(blocking, int, mode)                                                                \
  ODONATA_SEND(blocking##_c, MPI_Count, mode)                                                      \
  ODONATA_ISEND(send_init, blocking##_init, int, mode)                                             \
  ODONATA_ISEND(send_init, blocking##_init_c, MPI_Count, mode)                                     \
  ODONATA_ISEND(isend, nonblocking, int, mode)                                                     \
  ODONATA_ISEND(isend, nonblocking##_c, MPI_Count, mode)

ODONATA_SENDS(Send, Isend, Mode::standard)
ODONATA_SENDS(Bsend, Ibsend, Mode::buffered)
ODONATA_SENDS(Ssend, Issend, Mode::synchronous)
ODONATA_SENDS(Rsend, Irsend, Mode::ready)

#define ODONATA_RECV(name, Count)                                                                  \
  ODONATA_MPI(int, name,                                                                           \
              (void* buf, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,      \
               MPI_Status* status)) {                                                              \
    return recv(Function::name, buf, {count, type, source, tag, comm}, status);                    \
  }
#define ODONATA_IRECV(start, name, Count)                                                          \
  ODONATA_MPI(int, name,                                                                           \
              (void* buf, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,      \
               MPI_Request* request)) {                                                            \
    return start(Function::name, buf, {count, type, source, tag, comm}, request);                  \
  }

ODONATA_RECV(Recv, int)
ODONATA_RECV(Recv_c, MPI_Count)
ODONATA_IRECV(irecv, Irecv, int)
ODONATA_IRECV(irecv, Irecv_c, MPI_Count)
ODONATA_IRECV(recv_init, Recv_init, int)
ODONATA_IRECV(recv_init, Recv_init_c, MPI_Count)

#define ODONATA_SENDRECV(name, Count)                                                              \
  ODONATA_MPI(int, name,                                                                           \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, \
               void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag,     \
               MPI_Comm comm, MPI_Status* status)) {                                               \
    return sendrecv(Function::name, sendbuf, {sendcount, sendtype, dest, sendtag, comm}, recvbuf,  \
                    {recvcount, recvtype, source, recvtag, comm}, status);                         \
  }
// The send copies its data before the receive of the same call writes, so one buffer is enough.
#define ODONATA_SENDRECV_REPLACE(name, Count)                                                      \
  ODONATA_MPI(int, name,                                                                           \
              (void* buf, Count count, MPI_Datatype type, int dest, int sendtag, int source,       \
               int recvtag, MPI_Comm comm, MPI_Status* status)) {                                  \
    return sendrecv(Function::name, buf, {count, type, dest, sendtag, comm}, buf,                  \
                    {count, type, source, recvtag, comm}, status);                                 \
  }

ODONATA_SENDRECV(Sendrecv, int)
ODONATA_SENDRECV(Sendrecv_c, MPI_Count)
ODONATA_SENDRECV_REPLACE(Sendrecv_replace, int)
ODONATA_SENDRECV_REPLACE(Sendrecv_replace_c, MPI_Count)

#define ODONATA_ISENDRECV(name, Count)                                                             \
  ODONATA_MPI(int, name,                                                                           \
              (const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, \
               void* recvbuf, Count recvcount, MPI_Datatype recvtype, int source, int recvtag,     \
               MPI_Comm comm, MPI_Request* request)) {                                             \
    return isendrecv(Function::name, sendbuf, {sendcount, sendtype, dest, sendtag, comm}, recvbuf, \
                     {recvcount, recvtype, source, recvtag, comm}, request);                       \
  }
#define ODONATA_ISENDRECV_REPLACE(name, Count)                                                     \
  ODONATA_MPI(int, name,                                                                           \
              (void* buf, Count count, MPI_Datatype type, int dest, int sendtag, int source,       \
               int recvtag, MPI_Comm comm, MPI_Request* request)) {                                \
    return isendrecv(Function::name, buf, {count, type, dest, sendtag, comm}, buf,                 \
                     {count, type, source, recvtag, comm}, request);                               \
  }

ODONATA_ISENDRECV(Isendrecv, int)
ODONATA_ISENDRECV(Isendrecv_c, MPI_Count)
ODONATA_ISENDRECV_REPLACE(Isendrecv_replace, int)
ODONATA_ISENDRECV_REPLACE(Isendrecv_replace_c, MPI_Count)

}  // namespace odonata::libmpi::api
