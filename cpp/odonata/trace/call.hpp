// Calls of a rank: one record for each call, with a fixed part and a few words after it.
//
// Ranks write them as they run, a trace file holds them, and the player (workload/playback) turns
// them into simulated time. Times and outcomes of the network are not in them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "odonata/trace/collectives.hpp"
#include "odonata/units/units.hpp"

namespace odonata::trace {

/// Effect of a call on the network.
enum class Op : std::uint8_t {
#define ODONATA_OP(name, kind) name,
#include "odonata/trace/ops.inc"
#undef ODONATA_OP
};
inline constexpr int num_ops = static_cast<int>(Op::finalize) + 1;

/// The view of a call, which has its particular numbers.
enum class Kind : std::uint8_t {
  plain,
  send,
  receive,
  exchange,
  probe,
  collective,
  communicator,
  clock,
  phase,
  abort
};

inline constexpr Kind kinds[] = {
#define ODONATA_OP(name, kind) Kind::kind,
#include "odonata/trace/ops.inc"
#undef ODONATA_OP
};
[[nodiscard]] constexpr Kind kind_of(Op op) { return kinds[static_cast<std::size_t>(op)]; }

/// True if a call gives the name `request` to something new.
[[nodiscard]] constexpr bool opens_request(Op op) {
  return op == Op::isend || op == Op::irecv || op == Op::imrecv || op == Op::mprobe ||
         op == Op::improbe || op == Op::icollective;
}

/// True if a call may find nothing and returns at once, so that programs repeat it.
[[nodiscard]] constexpr bool is_poll(Op op) {
  return op == Op::test || op == Op::test_any || op == Op::test_some || op == Op::iprobe ||
         op == Op::improbe;
}

/// How a message is sent.
enum class Mode : std::uint32_t { standard, buffered, synchronous, ready };

/// No rank, tag or request.
inline constexpr std::int32_t any = -1;         // source or tag of a receive
inline constexpr std::int32_t nobody = -2;      // MPI_PROC_NULL: nothing is sent
inline constexpr std::uint32_t no_request = 0;  // requests are numbered from 1 and recycled

// Views. Ranks are counted in the communicator, or in the remote group of an intercommunicator.

struct Send {
  std::int32_t to = nobody;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;  // [B]
  Mode mode = Mode::standard;
  std::uint32_t reserved = 0;
};

struct Receive {
  std::int32_t source = nobody;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;               // [B] of the buffer
  std::uint32_t message = no_request;  // mrecv, imrecv: the number that its probe gave the message
  std::uint32_t reserved = 0;
};

struct Exchange {
  std::int32_t to = nobody;
  std::int32_t send_tag = 0;
  std::int64_t bytes = 0;  // [B] of the send
  std::int32_t source = nobody;
  std::int32_t receive_tag = 0;
};

struct Probe {
  std::int32_t source = nobody;
  std::int32_t tag = 0;
};

/// The words after it follow the `sizes` of the operation's row.
struct CollectiveCall {
  std::int64_t bytes = 0;  // [B] the block of the operation's row
  std::int32_t root = nobody;  // nobody: no root; any: this rank (MPI_ROOT)
  Collective operation = Collective::barrier;
};

/// The communicator's number is `comm`; the words after it are the world ranks of its members in
/// order, of an intercommunicator the local group and then the remote group.
struct Creation {
  std::uint64_t identity = 0;  // all members agree on it
  std::uint32_t position = 0;  // of the rank among the (local) members
  std::uint32_t num_local = 0;  // of an intercommunicator, else 0
};

/// Who asks for the time: the program by MPI_Wtime, or it and its libraries by a clock of the C
/// library, which is no call of MPI.
enum class Asker : std::uint32_t { wtime, c_library };

struct Question {
  Asker asker = Asker::wtime;
  std::uint32_t again = 0;  // questions right before, which had this answer and have no record
};

struct Phase {
  std::int32_t level = 0;
};

struct Abort {
  std::int32_t code = 0;
};

/// A call of one rank: common fields, and one view that its `op` names.
struct Call {
  std::uint16_t function = 0;  // index into the names of functions.hpp
  Op op = Op::local;
  std::uint8_t flags = 0;
  std::uint32_t comm = 0;  // number at this rank: 0 world, 1 self, then in order of creation
  std::uint32_t request = no_request;  // that the call opens, completes or cancels
  std::uint32_t num_words = 0;  // 64-bit words after this record
  std::int64_t compute = 0;  // [ns] of processor time since the rank's last call
  union {
    std::uint64_t view[3];
    Send send;
    Receive receive;
    Exchange exchange;
    Probe probe;
    CollectiveCall collective;
    Creation communicator;
    Question clock;
    Phase phase;
    Abort abort;
  };

  Call() : view{} {}

  [[nodiscard]] Kind kind() const { return kind_of(op); }
  /// Makes this the view that the call has.
  template <class View>
  void set(const View& what) {
    static_assert(sizeof what <= sizeof view);
    std::construct_at(reinterpret_cast<View*>(&view), what);
  }
  [[nodiscard]] bool wants_answer() const { return (flags & answer) != 0; }
  /// Calls of functions of MPI that the record stands for.
  [[nodiscard]] std::uint64_t times() const {
    if ((flags & more) != 0) return 0;
    if (op != Op::clock) return 1;
    return clock.asker == Asker::wtime ? std::uint64_t{1} + clock.again : 0;
  }

  static constexpr std::uint8_t answer = 1;  // the rank waits for the outcome
  static constexpr std::uint8_t more = 2;  // belongs to the call of the record before
  static constexpr std::uint8_t known = 4;  // the rank knows the outcome; only in a ring
  static constexpr std::uint8_t in_runs = 8;  // the words are runs of words; only in a ring
};
static_assert(sizeof(Call) == 48);

/// Result of a request, a probe or a test in simulated time.
struct Outcome {
  std::uint32_t index = 0;  // place in the call's list of requests
  std::int32_t source = nobody;  // rank in the world of the message's sender
  std::int32_t tag = 0;
  std::uint32_t serial = 0;  // of the message: counted by its sender
  std::int64_t bytes = 0;  // [B]
  std::uint32_t cancelled = 0;
  std::uint32_t reserved = 0;
};

/// The answer to a call: the time at which it is over, and its findings.
struct Answer {
  Time now = 0;  // [ps]
  std::int32_t flag = 0;  // of tests and probes
  std::uint32_t touches = 0;  // changes when something has happened to the rank
  /// Until then [ps] nothing happens to the rank but its own acts; 0: no lookahead.
  Time quiet_until = 0;
  /// 1: until the rank communicates again, only its computing takes its processor's time.
  std::uint32_t undisturbed = 0;
  std::vector<Outcome> outcomes;
};

/// A call with its words. One that is played back from a trace is `decided`: it finds the same
/// messages as then, whatever the order of arrivals now.
///
///     test, test_any, test_some, iprobe, improbe
///         found.flag 0: costs the time of a test that finds nothing, whatever is there;
///         else waits for the requests found then (if none, for nothing)
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
  /// Tells a rank that waits the outcome of its call.
  virtual void answer(int rank, const Answer& answer) = 0;
  /// Tells it the outcome of its call by lookahead, before simulated time has come there: the same
  /// answer() follows.
  virtual void answer_early(int /*rank*/, const Answer& /*answer*/) {}
  /// The rank knows that the test or probe at hand finds nothing, and that the next call, which has
  /// come, is another such: takes that one instead. The time [ps] at which the first is over; -1 if
  /// the first has to be played.
  virtual Time pass(int /*rank*/, Record& /*record*/) { return -1; }
  /// `idle` is called when next() is about to wait in real time.
  virtual void on_wait(std::function<void()> /*idle*/) {}
  /// `reached` is the time [ps] that the simulation has come to, and so much computing [ns] later:
  /// for a rank that asks for the time while another one, which is waited for, does nothing.
  virtual void on_stall(std::function<Time(std::int64_t compute)> /*reached*/) {}
};

}  // namespace odonata::trace
