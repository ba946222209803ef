// Buffers that a program attaches for buffered sends, to the process or to a communicator.
#include "preload/libmpi/api/point_to_point/buffered.hpp"

#include "preload/libmpi/api/requests/own_request.hpp"

namespace odonata::libmpi::api {

namespace {

#ifdef MPI_BUFFER_AUTOMATIC
bool automatic(const void* buffer) { return buffer == MPI_BUFFER_AUTOMATIC; }
#else
bool automatic(const void*) { return false; }
#endif

void attach_to(BsendBufferRef& place, void* buffer, std::int64_t bytes) {
  require(place == nullptr, ErrorClass::buffer, "a buffer is attached already");
  require(buffer != nullptr, ErrorClass::buffer, "the buffer is a null pointer");
  require(bytes >= 0, ErrorClass::arg, "the size is negative");
  const std::int64_t room = automatic(buffer) ? BsendBuffer::unlimited : bytes;
  place = std::make_shared<BsendBuffer>(buffer, room, MPI_BSEND_OVERHEAD);
}

void flush(Function function, const BsendBufferRef& place) {
  if (place) place->flush(function);
}

// A buffer returns to the program when all its messages have left.
template <class Size>
void detach_from(Function function, BsendBufferRef& place, void* buffer, Size* bytes) {
  flush(function, place);
  out(static_cast<void**>(buffer)) = place ? place->data() : nullptr;
  out(bytes) = static_cast<Size>(place ? place->bytes() : 0);
  place = nullptr;
}

// A request that is complete when all messages in a buffer have left; the buffer may be null.
class FlushRequest final : public OwnRequest {
 public:
  FlushRequest(Function function, BsendBufferRef buffer)
      : function_(function), buffer_(std::move(buffer)) {}

  [[nodiscard]] bool ready() override {
    if (buffer_ && buffer_->empty(function_)) buffer_ = nullptr;
    return buffer_ == nullptr;
  }
  void wait(Function function) override { flush(function, std::exchange(buffer_, nullptr)); }
  void finish() override {}

 private:
  Function function_;
  BsendBufferRef buffer_;
};

// A start of MPI_Bsend_init. The message has room in the buffer, so it is complete at once.
class BufferedSend final : public OwnRequest {
 public:
  BufferedSend(Buffer from, Peer to) : from_(std::move(from)), to_(std::move(to)) {}

  void start(Function function) override {
    bsend_buffer_of(*to_.comm).send(function, from_, to_);
    active = true;
  }
  [[nodiscard]] bool ready() override { return true; }
  void wait(Function) override {}
  void finish() override {}

 private:
  Buffer from_;
  Peer to_;
};

}  // namespace

BsendBuffer& bsend_buffer_of(const Comm& comm) {
  const BsendBufferRef& buffer = comm.bsend ? comm.bsend : handles().bsend;
  require(buffer != nullptr, ErrorClass::buffer, "no buffer is attached");
  return *buffer;
}

RequestRef buffered_send(const Buffer& from, const Peer& to) {
  auto request = std::make_shared<BufferedSend>(from, to);
  request->active = false;
  return request;
}

void flush_bsend_buffers(Function function) {
  flush(function, handles().bsend);
  handles().comms.for_each([&](const CommRef& comm) { flush(function, comm->bsend); });
}

// ---- the process

#define ODONATA_ATTACH(name, Size)                                                                 \
  ODONATA_MPI(int, name, (void* buffer, Size size)) {                                              \
    return call(Function::name, [&] { attach_to(handles().bsend, buffer, size); });                \
  }
#define ODONATA_DETACH(name, Size)                                                                 \
  ODONATA_MPI(int, name, (void* buffer, Size* size)) {                                             \
    return call(Function::name,                                                                    \
                [&] { detach_from(Function::name, handles().bsend, buffer, size); });              \
  }

ODONATA_ATTACH(Buffer_attach, int)
ODONATA_ATTACH(Buffer_attach_c, MPI_Count)
ODONATA_DETACH(Buffer_detach, int)
ODONATA_DETACH(Buffer_detach_c, MPI_Count)

ODONATA_MPI(int, Buffer_flush, (void)) {
  return call(Function::Buffer_flush, [] { flush(Function::Buffer_flush, handles().bsend); });
}
ODONATA_MPI(int, Buffer_iflush, (MPI_Request * request)) {
  return call(Function::Buffer_iflush, [&] {
    out(request) = add(std::make_shared<FlushRequest>(Function::Buffer_iflush, handles().bsend));
  });
}

// ---- communicators

#define ODONATA_COMM_ATTACH(name, Size)                                                            \
  ODONATA_MPI(int, name, (MPI_Comm comm, void* buffer, Size size)) {                               \
    return call(Function::name, comm, [&] { attach_to(comm_of(comm)->bsend, buffer, size); });     \
  }
#define ODONATA_COMM_DETACH(name, Size)                                                            \
  ODONATA_MPI(int, name, (MPI_Comm comm, void* buffer, Size* size)) {                              \
    return call(Function::name, comm,                                                              \
                [&] { detach_from(Function::name, comm_of(comm)->bsend, buffer, size); });         \
  }

ODONATA_COMM_ATTACH(Comm_attach_buffer, int)
ODONATA_COMM_ATTACH(Comm_attach_buffer_c, MPI_Count)
ODONATA_COMM_DETACH(Comm_detach_buffer, int)
ODONATA_COMM_DETACH(Comm_detach_buffer_c, MPI_Count)

ODONATA_MPI(int, Comm_flush_buffer, (MPI_Comm comm)) {
  return call(Function::Comm_flush_buffer, comm,
              [&] { flush(Function::Comm_flush_buffer, comm_of(comm)->bsend); });
}
ODONATA_MPI(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request* request)) {
  return call(Function::Comm_iflush_buffer, comm, [&] {
    out(request) =
        add(std::make_shared<FlushRequest>(Function::Comm_iflush_buffer, comm_of(comm)->bsend));
  });
}

}  // namespace odonata::libmpi::api
