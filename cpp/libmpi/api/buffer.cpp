// The buffer that programs attach for buffered sends.
#include "libmpi/api/generalized.hpp"

namespace odonata::libmpi::api {

namespace {

int attach(Function function, void* buffer, std::int64_t bytes) {
  return call(function, [&] {
    Handles& h = handles();
    require(h.bsend_buffer == nullptr, ErrorClass::buffer, "a buffer is attached already");
    require(buffer != nullptr, ErrorClass::buffer, "the buffer is a null pointer");
    require(bytes >= 0, ErrorClass::arg, "the size is negative");
    h.bsend_buffer = buffer;
    h.bsend_bytes = bytes;
  });
}

template <class Size>
int detach(Function function, void* buffer, Size* bytes) {
  return call(function, [&] {
    Handles& h = handles();
    *static_cast<void**>(buffer) = std::exchange(h.bsend_buffer, nullptr);
    *bytes = static_cast<Size>(std::exchange(h.bsend_bytes, 0));
  });
}

}  // namespace

ODONATA_MPI(int, Buffer_attach, (void* buffer, int size)) {
  return attach(Function::Buffer_attach, buffer, size);
}
ODONATA_MPI(int, Buffer_attach_c, (void* buffer, MPI_Count size)) {
  return attach(Function::Buffer_attach_c, buffer, size);
}
ODONATA_MPI(int, Buffer_detach, (void* buffer, int* size)) {
  return detach(Function::Buffer_detach, buffer, size);
}
ODONATA_MPI(int, Buffer_detach_c, (void* buffer, MPI_Count* size)) {
  return detach(Function::Buffer_detach_c, buffer, size);
}
// What was sent has left the buffer already.
ODONATA_MPI(int, Buffer_flush, (void)) {
  return call(Function::Buffer_flush, [] {});
}
ODONATA_MPI(int, Buffer_iflush, (MPI_Request * request)) {
  return call(Function::Buffer_iflush, [&] {
    auto flushed = std::make_shared<GeneralizedRequest>(nullptr, nullptr, nullptr, nullptr);
    flushed->complete();
    out(request) = add(std::move(flushed));
  });
}

}  // namespace odonata::libmpi::api
