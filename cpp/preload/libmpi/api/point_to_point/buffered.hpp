// Buffered sends.
#pragma once

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// The buffer for messages on a communicator. Throws Error if no buffer is attached.
[[nodiscard]] BsendBuffer& bsend_buffer_of(const Comm& comm);
/// The request of MPI_Bsend_init: each start is a buffered send.
[[nodiscard]] RequestRef buffered_send(const Buffer& from, const Peer& to);
/// Waits until all buffered messages have left; MPI_Finalize calls it.
void flush_bsend_buffers(Function function);

}  // namespace odonata::libmpi::api
