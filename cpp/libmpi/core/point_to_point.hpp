// Messages between two ranks: what has come, and the receives that wait for it.
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

#include "libmpi/core/comm.hpp"
#include "libmpi/core/datatype.hpp"
#include "libmpi/core/link.hpp"
#include "libmpi/core/request.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

using trace::Function;

/// A stretch of the program's memory, as MPI has it.
struct Buffer {
  void* data = nullptr;
  std::int64_t count = 0;
  TypeRef type;
};

/// Where a message goes or comes from; ranks of the communicator's peers, trace::any,
/// trace::nobody.
struct Peer {
  CommRef comm;
  std::int32_t rank = trace::nobody;
  std::int32_t tag = 0;
};

/// A matched message of MPI_Mprobe.
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
/// Starts persistent requests.
void start(Function function, std::span<const RequestRef> requests);

Status probe(Function function, const Peer& source);
std::optional<Status> iprobe(Function function, const Peer& source);
Matched mprobe(Function function, const Peer& source);
std::optional<Matched> improbe(Function function, const Peer& source);
Status mrecv(Function function, const Buffer& into, const Matched& message);
RequestRef imrecv(Function function, const Buffer& into, const Matched& message);
void cancel(Function function, const RequestRef& request);

// Waits and tests; null and inactive requests are passed over. Completed requests become inactive;
// the caller forgets those that are not persistent. Errors of single requests are in their status
// (and thrown as in_status by the functions that take many).
void wait_all(Function function, std::span<const RequestRef> requests);
/// The place of the request that is complete; nothing if there is none to wait for.
std::optional<int> wait_any(Function function, std::span<const RequestRef> requests);
std::vector<int> wait_some(Function function, std::span<const RequestRef> requests);
bool test_all(Function function, std::span<const RequestRef> requests);
/// has_active is false where there was none to test.
std::optional<int> test_any(Function function, std::span<const RequestRef> requests,
                            bool& has_active);
std::vector<int> test_some(Function function, std::span<const RequestRef> requests);

/// Simulated time [ps].
std::int64_t clock(Function function);

}  // namespace odonata::libmpi
