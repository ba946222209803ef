// Messages between two ranks.
//
// A message is copied into shared memory when it is sent, and out of it when its receive is
// completed; only its time is simulated. A receive that names its source takes the first message of
// that source that fits, whatever the time, so it needs no answer from the simulator. A receive
// from any source depends on simulated time: it is `undecided` until a wait or test asks, and so is
// every receive that is posted while there is an undecided one.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "odonata/trace/functions.hpp"
#include "preload/libmpi/core/communicators/comm.hpp"
#include "preload/libmpi/core/datatypes/datatype.hpp"
#include "preload/libmpi/core/requests/request.hpp"
#include "preload/libmpi/core/shared_memory/endpoint.hpp"

namespace odonata::libmpi {

using trace::Function;

/// A buffer of the program: address, count and datatype.
struct Buffer {
  void* data = nullptr;
  std::int64_t count = 0;
  TypeRef type;
};

/// Destination or source of a message: a rank of the communicator's peers, trace::any or
/// trace::nobody.
struct Peer {
  CommRef comm;
  std::int32_t rank = trace::nobody;
  std::int32_t tag = 0;
};

/// A message that MPI_Mprobe matched.
struct Matched {
  Offset mail = 0;
  std::uint32_t number = 0;
  CommRef comm;
  Status status;
};

void send(Function function, const Buffer& from, const Peer& to, trace::Mode mode);
Status recv(Function function, const Buffer& into, const Peer& source);
Status sendrecv(Function function, const Buffer& from, const Peer& to, const Buffer& into,
                const Peer& source);
RequestRef isend(Function function, const Buffer& from, const Peer& to, trace::Mode mode);
RequestRef irecv(Function function, const Buffer& into, const Peer& source);
RequestRef send_init(const Buffer& from, const Peer& to, trace::Mode mode);
RequestRef recv_init(const Buffer& into, const Peer& source);

Status probe(Function function, const Peer& source);
std::optional<Status> iprobe(Function function, const Peer& source);
Matched mprobe(Function function, const Peer& source);
std::optional<Matched> improbe(Function function, const Peer& source);
Status mrecv(Function function, const Buffer& into, const Matched& message);
RequestRef imrecv(Function function, const Buffer& into, const Matched& message);
void cancel(Function function, const RequestRef& request);

}  // namespace odonata::libmpi
