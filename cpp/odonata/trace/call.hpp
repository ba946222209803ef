// What a rank called: one record a call, of a fixed part and a few words after it.
//
// Ranks write them as they run, a trace file holds them, and the player (workload/playback) turns
// them into simulated time. Times and outcomes of the network are not in them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "odonata/trace/patience.hpp"
#include "odonata/units/units.hpp"

namespace odonata::trace {

/// What a call does to the network.
enum class Op : std::uint8_t {
  local,        // nothing
  send,         // blocking: isend and wait in one
  recv,         // blocking: irecv and wait in one
  sendrecv,     // peer, tag, bytes of the send; peer2, tag2 of the receive
  isend,        // opens `request`
  irecv,        // opens `request`
  wait,         // all of the requests in `words`, or `request` when there are none
  wait_any,     // of the requests in `words`: the outcome says which
  wait_some,
  test,         // all of the requests, as in wait
  test_any,
  test_some,
  probe,
  iprobe,
  mprobe,       // takes the message out of matching and calls it `request`
  improbe,
  mrecv,        // receives the message `request`, blocking
  imrecv,       // opens `request` for the message `request2`
  cancel,       // of `request`
  collective,   // blocking
  icollective,  // opens `request`
  communicator, // names the members of a communicator that now exists: see below
  clock,        // asks for the time
  phase,        // MPI_Pcontrol: the level is in `tag`
  abort,        // the code is in `tag`
  finalize,     // the last call of a rank
};
inline constexpr int num_ops = static_cast<int>(Op::finalize) + 1;

/// Whether a call gives the name `request` to something new.
[[nodiscard]] constexpr bool opens_request(Op op) {
  return op == Op::isend || op == Op::irecv || op == Op::imrecv || op == Op::mprobe ||
         op == Op::improbe || op == Op::icollective;
}

/// Collective operations as the network sees them.
enum class Collective : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
};
inline constexpr int num_collectives = static_cast<int>(Collective::neighbor_alltoall) + 1;

/// How a message is sent.
enum class Mode : std::uint8_t { standard, buffered, synchronous, ready };

/// No rank, tag or request.
inline constexpr std::int32_t any = -1;         // source or tag of a receive
inline constexpr std::int32_t nobody = -2;      // MPI_PROC_NULL: nothing is sent
inline constexpr std::uint32_t no_request = 0;  // requests are numbered from 1 and recycled

/// A call of one rank. Ranks (`peer`, `root`) are those of the communicator; of an
/// intercommunicator, the remote group's.
///
///     collective    collective says which, peer is the root (nobody where there is none), bytes
///     the
///                   block as in workload/collective.hpp: bcast, reduce, allreduce, scan: the whole
///                   vector; gather, scatter, allgather, alltoall, reduce_scatter_block: one block.
///                   words, for the v forms: gatherv, scatterv at the root, allgatherv and
///                   reduce_scatter everywhere: bytes of each rank's block; alltoallv: bytes to
///                   each rank, then bytes from each rank; neighbor_*: number of sources, the
///                   sources, number of destinations, the destinations; neighbor_alltoall: then
///                   bytes from each source and to each destination (neighbor_allgather: `bytes` to
///                   all, then bytes from each source).
///     communicator  comm is the new number, request2 the number of its rank here, words the
///                   members' world ranks in order; an intercommunicator has bytes = size of the
///                   local group and words = local members, then remote members; tag2 and
///                   peer2 hold the low and high half of an identity that all members agree on.
struct Call {
  std::uint16_t function = 0;  // index into the names of functions.hpp
  Op op = Op::local;
  Mode mode = Mode::standard;
  Collective collective = Collective::barrier;
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;
  std::int32_t peer = nobody;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;  // number at this rank: 0 world, 1 self, then in order of creation
  std::uint32_t request = no_request;
  std::uint32_t request2 = no_request;
  std::uint32_t num_words = 0;  // 64-bit words after this record
  std::int64_t bytes = 0;  // [B]
  std::int64_t compute = 0;  // [ns] of processor time since the rank's last call
  std::int32_t peer2 = nobody;
  std::int32_t tag2 = 0;

  /// Who asks for the time, of a question for it: `tag` 0 or 1.
  [[nodiscard]] Asker asker() const { return tag == 0 ? Asker::wtime : Asker::c_library; }

  [[nodiscard]] bool wants_answer() const { return (flags & answer) != 0; }

  static constexpr std::uint8_t answer = 1;  // the rank waits for the outcome
  static constexpr std::uint8_t more = 2;  // belongs to the call of the record before
  /// The rank knows the outcome by a promise; `bytes` is its time [ps]. Only in a ring.
  static constexpr std::uint8_t promised = 4;
};
static_assert(sizeof(Call) == 56);

/// What became of a request, a probe or a test, in simulated time.
struct Outcome {
  std::uint32_t index = 0;  // place in the call's list of requests
  std::int32_t source = nobody;  // rank in the world of the message's sender
  std::int32_t tag = 0;
  std::uint32_t serial = 0;  // of the message: counts those of its sender
  std::int64_t bytes = 0;  // [B]
  std::uint32_t cancelled = 0;
  std::uint32_t reserved = 0;
};

/// The answer to a call: the time at which it is over, and what it found.
struct Answer {
  Time now = 0;  // [ps]
  std::int32_t flag = 0;  // of tests and probes
  std::uint32_t touches = 0;  // changes when something has happened to the rank
  /// Until then [ps] nothing happens to the rank but what it does itself; 0: nothing is promised.
  Time quiet_until = 0;
  Patience patience{};  // the rank's
  std::vector<Outcome> outcomes;
};

/// A call with its words. One that is played back from a trace is `decided`: it finds what it
/// found then, whatever the order of arrivals now.
///
///     test, test_any, test_some, iprobe, improbe
///         found.flag 0: costs the time of a test that finds nothing, whatever is there;
///         else waits for what it found then (none of the requests: for nothing)
///     wait_any, wait_some
///         waits for the requests of the outcomes
///     cancel
///         found.flag 0: came too late, does nothing
///     recv, irecv, sendrecv, probe, mprobe, a successful iprobe or improbe, from any source
///         takes the outcome's source for its own; nobody: it was cancelled, and is never posted
///         (irecv from a named source as well); an irecv without an outcome stays as it is
struct Record {
  Call call;
  std::vector<std::uint64_t> words;
  bool decided = false;
  Answer found;  // when decided; `now` is not set
};

/// The calls of the ranks of one job, each rank's in order.
class Source {
 public:
  virtual ~Source() = default;
  /// The next call of a rank, which may take real time to come; false after its last.
  /// Throws UserError when the rank ended otherwise.
  virtual bool next(int rank, Record& record) = 0;
  /// Tells a rank that waits what became of its call.
  virtual void answer(int rank, const Answer& answer) = 0;
  /// Tells it what will become of its call, before simulated time has come there: the same
  /// answer() follows.
  virtual void foretell(int /*rank*/, const Answer& /*answer*/) {}
  /// `idle` is called when next() is about to wait in real time.
  virtual void on_wait(std::function<void()> /*idle*/) {}
};

}  // namespace odonata::trace
