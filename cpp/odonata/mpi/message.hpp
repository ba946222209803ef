// Descriptions of buffers and costs for the MPI layer.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

inline constexpr std::int32_t any_source = -1;
inline constexpr std::int32_t any_tag = -1;

/// A stretch of one of a rank's buffers. Simulated time needs only `bytes`; the place is there so
/// that a Memory can move real (or symbolic) contents and prove an algorithm right.
struct Span {
  std::int32_t buffer = 0;
  Bytes offset = 0;  // [B]
  Bytes bytes = 0;   // [B]

  [[nodiscard]] Span part(Bytes from, Bytes count) const { return {buffer, offset + from, count}; }
};

/// The buffers that collective algorithms use.
enum Buffer : std::int32_t { input = 0, output = 1, scratch = 2, num_buffers = 3 };

/// Contents of messages in flight, which only the Memory interprets.
using Payload = std::shared_ptr<const std::vector<std::uint64_t>>;

/// Moves contents beside the timing; without one, only time is simulated.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual Payload read(std::int32_t rank, const Span& from) = 0;
  virtual void write(std::int32_t rank, const Span& to, const Payload& payload) = 0;
  virtual void combine(std::int32_t rank, const Span& to, const Payload& payload) = 0;
};

/// How a send is done. Synchronous ones go by rendezvous, whatever their size; buffered ones are
/// complete when their overhead is paid; ready sends are sent as standard ones.
enum class SendMode : std::uint8_t { standard, buffered, synchronous, ready };

/// A cost in time per byte [ps/B].
struct PerByte {
  double picoseconds = 0;  // [ps/B]
  [[nodiscard]] Time of(Bytes bytes) const {
    return picoseconds == 0 ? 0 : std::llround(picoseconds * static_cast<double>(bytes));
  }
};

/// The software's costs; all may be zero. Costs of protocols are paid by the sender and by the
/// receiver of a message between two nodes, each.
struct MpiOptions {
  Time send_overhead = 0;             // [ps] of the processor, a message
  Time recv_overhead = 0;             // [ps]
  // [ps] of a message between two ranks of a node; absent: as of any message
  std::optional<Time> node_send_overhead, node_recv_overhead;
  PerByte send_per_byte;              // [ps/B]
  PerByte recv_per_byte;              // [ps/B]
  PerByte reduce_per_byte;            // [ps/B] combining two operands
  PerByte copy_per_byte;              // [ps/B] local copies, and unexpected messages
  Time search_per_entry = 0;          // [ps] an entry passed in a queue
  Time wait_per_request = 0;          // [ps] a request that a wait or a test looks at
  Bytes short_threshold = any_size;   // [B] longer eager messages don't fit into a mailbox
  Time eager_overhead = 0;            // [ps] an eager message that is not short
  Time fetch_latency = 0;  // [ps] data that are not short, until the NIC has the first byte
  PerByte eager_per_byte;             // [ps/B]
  Bytes eager_threshold = 8192;       // [B] longer messages go by rendezvous
  Time rendezvous_overhead = 0;       // [ps] a rendezvous
  Bytes long_threshold = any_size;    // [B] beyond it a rendezvous costs
  PerByte long_per_byte;              // [ps/B]
  Bytes control_bytes = 0;            // [B] of a request to send and of its answer
  std::uint32_t outstanding = 256;    // most messages of a source of traffic under way

  [[nodiscard]] Time overhead_of_send(bool inside_node) const {
    return inside_node ? node_send_overhead.value_or(send_overhead) : send_overhead;
  }
  [[nodiscard]] Time overhead_of_receive(bool inside_node) const {
    return inside_node ? node_recv_overhead.value_or(recv_overhead) : recv_overhead;
  }
};

}  // namespace odonata
