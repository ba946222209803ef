// How messages cross the machine: the interface of every engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "odonata/engine/least_time.hpp"
#include "odonata/engine/way.hpp"
#include "odonata/event/clock.hpp"
#include "odonata/machine/machine.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// A message on its way between the ports of two nodes; its number (slot) is the caller's.
struct Transfer {
  std::int32_t from_port = 0;
  std::int32_t to_port = 0;
  Bytes bytes = 0;
  bool tell_injected = false;  // call Receiver::injected when its last byte has left the node
  bool fetched = false;  // its NIC fetches it from memory
};

/// "message of 1000 B from port 0 to port 1", for errors.
[[nodiscard]] std::string text_of(const Transfer& transfer);

/// Adds the bytes of a message to a sum over a run [B]. Throws UserError beyond 8 EiB.
void add_bytes(Bytes& sum, Bytes bytes);

/// The packets of a message that was delivered, and the routers that forwarded them, summed.
struct Delivery {
  std::int64_t packets = 0;
  std::int64_t routers = 0;
};

/// Who is told about messages: the MPI layer.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// The whole message is at its node.
  virtual void delivered(std::uint32_t message, Delivery delivery) = 0;
  /// The last byte has left the sending node; its buffer may be reused.
  virtual void injected(std::uint32_t message) = 0;
};

/// The identity of a packet, which no other packet and no order of events has a part in. The
/// analytic engine numbers messages instead.
struct PacketId {
  std::int32_t source;   // port
  std::uint32_t number;  // packets that this port has sent before

  /// The identity as one number: the key of the packet's random draws.
  [[nodiscard]] std::uint64_t bits() const {
    return static_cast<std::uint64_t>(source) << 32 | number;
  }
  friend bool operator==(const PacketId&, const PacketId&) = default;
};

/// One line of the event log: a packet starts on a link, or has arrived whole at its node.
struct LogEntry {
  Time time;          // [ps]
  std::int32_t link;  // -1: delivered
  std::int32_t vc;    // port, when delivered
  PacketId packet;

  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

/// The event log of a run: kept, hashed, both or neither. The digest is a sum over the entries, so
/// it does not depend on the order in which events of one time happen.
struct EventLog {
  bool keep = false;
  bool hash = false;
  std::uint64_t digest = 0;
  std::vector<LogEntry> entries;

  [[nodiscard]] bool on() const { return keep || hash; }
  void add(const LogEntry& e) {
    if (keep) entries.push_back(e);
    if (!hash) return;
    const auto place = static_cast<std::uint64_t>(static_cast<std::uint32_t>(e.link)) << 32 |
                       static_cast<std::uint32_t>(e.vc);
    digest += mix(mix(mix(static_cast<std::uint64_t>(e.time)) ^ place) ^ e.packet.bits());
  }
};

struct LinkStatistics {
  Bytes bytes = 0;               // [B] sent
  TimeSum busy = 0;              // [ps] sending; of messages at a time, if they do not wait
  Time stalled = 0;              // [ps] with packets waiting, free, and without credit
  std::int32_t peak_waiting = 0; // [B] most bytes waiting for it at its router
};

struct BufferStatistics {
  std::int32_t link = 0;
  std::int32_t vc = 0;
  std::int32_t capacity = 0;  // [B]
  std::int32_t peak = 0;      // [B] most bytes reserved, credits on their way back included
  std::int64_t refused = 0;   // times it became full: a packet asked for room and had to wait
};

struct NetworkTotals {
  std::int64_t packets = 0;
  std::int64_t packet_hops = 0;  // routers that forwarded a packet, summed over packets
  Bytes injected_bytes = 0;
  Bytes delivered_bytes = 0;
};

class Network {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  virtual ~Network() = default;
  /// Hands a message to its port now.
  virtual void send(std::uint32_t message, const Transfer& transfer) = 0;
  /// An event of one of the network's kinds.
  virtual void process(const Event& event) = 0;
  /// The message of which an event of kind `deliver` delivers a part; `none` if that is not known.
  [[nodiscard]] virtual std::uint32_t message_of(const Event& /*event*/) const { return none; }
  /// Fetches the data of a sending port into the cache.
  virtual void prefetch_port(std::int32_t /*port*/) const {}

  /// Would the port begin with a message at once?
  [[nodiscard]] virtual bool idle(std::int32_t /*port*/) const { return true; }
  /// How long messages take at least.
  [[nodiscard]] virtual LeastTime least_time() const = 0;
  [[nodiscard]] virtual NetworkTotals totals() const = 0;
  [[nodiscard]] virtual std::vector<LinkStatistics> link_statistics() const = 0;
  [[nodiscard]] virtual std::vector<BufferStatistics> buffer_statistics() const = 0;
  /// Bytes that wait for a link of each class at this moment. [num_classes]
  [[nodiscard]] virtual std::vector<Bytes> waiting_by_class() const = 0;
  /// Throws InternalError unless every packet is delivered and every credit is home.
  virtual void check_conservation(Time end) const = 0;
};

struct EngineOptions {
  std::string engine = "packet";  // "packet" or "analytic"
  Bytes packet_bytes = 1024;      // [B] largest payload of a packet
  Bytes header_bytes = 0;         // [B] added to every packet
  Bytes window_bytes = 0;         // [B] a port may have in flight; 0: no limit
  Time message_gap = 0;  // [ps] from the start of a port's message to the start of its next
  Bytes congestion_bytes = 0;  // [B] that may be on the way to a port, from all; 0: no limit
  Time congestion_delay = 0;   // [ps] from a delivery until the sources know of it
  bool in_turns = false;  // a port sends to its destinations in turns, a packet each
  Time fetch_latency = 0;  // [ps] until a NIC has the first byte of a message from memory
  RoutingOptions routing;

  [[nodiscard]] Time fetch_time(const Transfer& transfer) const {
    return transfer.fetched ? fetch_latency : 0;
  }
};

/// Throws UserError unless there is such an engine, with packets that have room for a byte.
void check_options(const EngineOptions& options);

}  // namespace odonata
