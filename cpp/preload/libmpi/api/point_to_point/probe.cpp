// Probes, and receives of messages that a matched probe returned.
#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

namespace {

MPI_Message handle_of(Matched message) {
  if (message.mail == 0) return MPI_MESSAGE_NO_PROC;
  return handles().messages.add(std::make_shared<Matched>(std::move(message)));
}

// The message behind a handle; the call sets the handle to null.
MessageRef take(MPI_Message& handle) {
  const MessageRef* found = handles().messages.find(handle);
  require(found != nullptr, ErrorClass::request, "the message was freed or never made");
  MessageRef message = *found;
  handles().messages.remove(handle);
  handle = MPI_MESSAGE_NULL;
  return message;
}

int mrecv(Function function, void* data, std::int64_t count, MPI_Datatype type,
          MPI_Message* message, MPI_Status* status) {
  return call(function, [&] {
    const Buffer into = buffer(data, count, type);
    write_status(status, libmpi::mrecv(function, into, *take(out(message))));
  });
}

int imrecv(Function function, void* data, std::int64_t count, MPI_Datatype type,
           MPI_Message* message, MPI_Request* request) {
  return call(function, [&] {
    MPI_Request& made = out(request);
    const Buffer into = buffer(data, count, type);
    made = add(libmpi::imrecv(function, into, *take(out(message))));
  });
}

}  // namespace

ODONATA_MPI(int, Probe, (int rank, int tag, MPI_Comm comm, MPI_Status* status)) {
  return call(Function::Probe, comm,
              [&] { write_status(status, probe(Function::Probe, source(comm, rank, tag))); });
}

ODONATA_MPI(int, Iprobe, (int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  return call(Function::Iprobe, comm, [&] {
    int& any = out(flag);
    const auto found = iprobe(Function::Iprobe, source(comm, rank, tag));
    any = found ? 1 : 0;
    if (found) write_status(status, *found);
  });
}

ODONATA_MPI(int, Mprobe,
            (int rank, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  return call(Function::Mprobe, comm, [&] {
    MPI_Message& matched = out(message);
    Matched found = mprobe(Function::Mprobe, source(comm, rank, tag));
    write_status(status, found.status);
    matched = handle_of(std::move(found));
  });
}

ODONATA_MPI(int, Improbe,
            (int rank, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
             MPI_Status* status)) {
  return call(Function::Improbe, comm, [&] {
    MPI_Message& matched = out(message);
    int& any = out(flag);
    auto found = improbe(Function::Improbe, source(comm, rank, tag));
    any = found ? 1 : 0;
    if (!found) return;
    write_status(status, found->status);
    matched = handle_of(std::move(*found));
  });
}

ODONATA_MPI(int, Mrecv,
            (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status)) {
  return mrecv(Function::Mrecv, buf, count, type, message, status);
}
ODONATA_MPI(int, Mrecv_c,
            (void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message,
             MPI_Status* status)) {
  return mrecv(Function::Mrecv_c, buf, count, type, message, status);
}
ODONATA_MPI(int, Imrecv,
            (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request)) {
  return imrecv(Function::Imrecv, buf, count, type, message, request);
}
ODONATA_MPI(int, Imrecv_c,
            (void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message,
             MPI_Request* request)) {
  return imrecv(Function::Imrecv_c, buf, count, type, message, request);
}

}  // namespace odonata::libmpi::api
