// Buffered sends.
#pragma once

#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// The buffer that a message on a communicator takes its place in. Error if there is none.
[[nodiscard]] BsendBuffer& bsend_buffer_of(const Comm& comm);
/// For MPI_Bsend_init: each start is a buffered send.
[[nodiscard]] RequestRef buffered_send(const Buffer& from, const Peer& to);
/// What MPI_Finalize waits for.
void flush_bsend_buffers(Function function);

}  // namespace odonata::libmpi::api
