// Observer of the ranks and messages of the MPI layer, if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "odonata/mpi/work.hpp"
#include "odonata/units/units.hpp"

namespace odonata {

/// Crossings that the messages of MPI consist of.
enum class Leg : std::uint8_t { eager, request, answer, data, datagram };

/// Is it one of those before the data of a rendezvous?
inline bool is_handshake(Leg leg) { return leg == Leg::request || leg == Leg::answer; }

/// A leg of a message.
struct LegOfMessage {
  std::uint32_t message;  // slot
  Leg leg;
  std::int32_t from, to;  // ranks, of the message
  std::uint32_t carried;  // slot in the network: of the message, or of its last part
  std::int32_t port;  // from which it goes; -1: it stays in its node
  Bytes bytes;  // [B]
  Time sent;  // [ps] the first leg was handed over; of a datagram: it was due
};

/// Ranks are numbers in the world of all jobs. Acts of ranks are effects of the event that the
/// observer was told of last.
class MpiObserver {
 public:
  virtual ~MpiObserver() = default;
  /// The ranks of a job.
  virtual void add(std::int32_t job, std::size_t ranks, bool background) = 0;

  // ---- ranks
  /// A part of the rank's next work has a kind of its own.
  virtual void part(std::int32_t rank, Work what, Time time) = 0;
  /// A rank's processor works for `cost` from `begin` on.
  virtual void work(std::int32_t rank, Work what, Time begin, Time cost) = 0;
  /// A coroutine of the rank resumes.
  virtual void resume(std::int32_t rank) = 0;
  virtual void finish(std::int32_t rank, Time now) = 0;
  /// A rank is in a call of MPI, or outside of MPI again.
  virtual void enter(std::int32_t rank, std::string_view function, bool collective,
                     int communicator) = 0;
  virtual void leave(std::int32_t rank) = 0;
  virtual void begin_phase(std::int32_t rank, std::int32_t phase) = 0;

  // ---- messages
  /// A leg is about to be handed over by a rank.
  virtual void launch(std::int32_t launcher, const LegOfMessage& leg) = 0;
  /// A rank begins to pay for its part of a rendezvous, the receiver first.
  virtual void begin_answer(std::uint32_t message, Time begin) = 0;
  virtual void begin_data(std::uint32_t message, Time begin) = 0;
  /// A message takes its receive, or waits for one.
  virtual void settle() = 0;

  // ---- events
  /// An event without a message.
  virtual void happen() = 0;
  /// A processor has worked for a message that has been sent, and whose latest leg this is; it is
  /// of the rank of its end, or of its sender.
  virtual void happen_step(std::int32_t rank, const LegOfMessage& leg) = 0;
  /// A leg has left its node, or has come to its node.
  virtual void happen_injected(const LegOfMessage& leg) = 0;
  virtual void happen_delivered(const LegOfMessage& leg) = 0;

  /// Fetches the observer's record of a rank into the cache.
  virtual void prefetch(std::int32_t rank) const = 0;
};

}  // namespace odonata
