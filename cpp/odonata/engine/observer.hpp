// Observers of a network, which hear of the events of messages and packets in it.
//
//     submitted   a message is handed to its NIC
//     started     a packet starts on its injection link
//     queued      a packet joins the queue of a later link
//     forwarded   a packet starts on that link
//     delivered   a packet, or a whole message, has come to its node
//     halted      a NIC waits for credit or for the window
//     kept_gap    a NIC waits between two messages
//     held        a message begins to wait at the gate of its destination
//     released    its next packet is granted
//     crossed     a message has a further piece of its way (engines without packets)
//     left        the pieces so far are those up to where it leaves its node
//     logged      a line of the event log
//
// A network is a template on its observer, so that a run without an observer pays nothing.
#pragma once

#include <cstdint>

#include "odonata/engine/network.hpp"
#include "odonata/engine/way.hpp"

namespace odonata {

/// A message is handed to its NIC.
struct Submission {
  std::uint32_t message;  // slot
  std::int32_t port;
  Time now;      // [ps]
  Time stalled;  // [ps] for which the injection link has been without credit, in all
  bool idle;     // would the NIC begin with it at once?
};

/// A packet's start on a link.
struct LinkStart {
  std::int32_t link;
  Time now;  // [ps]
  Time end;  // [ps] of its transmission
  Time stalled;  // [ps] for which the link has been without credit, in all
  Time delay;  // [ps] of the wire and of the router behind it
};

/// The empty observer; others replace the verbs that they need.
struct NoObserver {
  static void submitted(const Submission& /*submission*/) {}
  static void started(std::uint32_t /*packet*/, std::uint32_t /*message*/,
                      const LinkStart& /*start*/) {}
  static void queued(std::uint32_t /*packet*/, Time /*now*/, Time /*stalled*/) {}
  /// The packet's tail is ready at the begin of the link at `tail`; it may have been in its queue.
  static void forwarded(std::uint32_t /*packet*/, const LinkStart& /*start*/, Time /*tail*/,
                        bool /*queued*/) {}
  static void delivered(std::uint32_t /*packet*/) {}
  static void halted(std::int32_t /*port*/) {}
  static void kept_gap(std::int32_t /*port*/, Time /*gap*/) {}
  /// The wait may begin later than now, at the end of a packet; `stalled` is as in a submission.
  static void held(std::uint32_t /*message*/, Time /*since*/, Time /*stalled*/) {}
  static void released(std::uint32_t /*message*/, Time /*now*/, Time /*stalled*/) {}
  static void crossed(std::uint32_t /*message*/, WayPart /*part*/, std::int32_t /*link*/,
                      Time /*time*/) {}
  static void left(std::uint32_t /*message*/) {}
  static void logged(const LogEntry& /*entry*/) {}
  /// Fetches the observer's record of a packet into the cache.
  static void prefetch(std::uint32_t /*packet*/) {}
};

/// The event log alone.
struct Logging : NoObserver {
  explicit Logging(EventLog& all) : log(all) {}
  void logged(const LogEntry& entry) const { log.add(entry); }

  EventLog& log;
};

}  // namespace odonata
