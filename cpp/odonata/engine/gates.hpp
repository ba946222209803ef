// Congestion control at the ends of a network: each port has a gate, which limits the bytes that
// are on the way to it from all others.
//
//     start of a packet        its bytes count at the gate of its destination
//     delivered at t           they count until t + delay, when their sources know of it
//     no room, or a queue      the message waits at its source, and later ones to other ports pass
//     room for the next        the source that has waited longest is granted one packet
//     that packet has started  a source with more to send joins the queue again, at its end
//
// A granted packet counts from its grant on. It waits for nothing but its own NIC, so a gate that
// is full opens again as long as packets in the network arrive.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "odonata/engine/credits.hpp"
#include "odonata/event/slots.hpp"

namespace odonata {

class Gates {
 public:
  static constexpr std::int32_t none = -1;

  struct Grant {
    std::int32_t source;  // port
    std::int32_t message;  // slot
  };

  /// No gates, if the window has no bytes.
  Gates(std::int32_t num_ports, Bytes window, Time delay)
      : window_(window),
        delay_(delay),
        gates_(window > 0 ? static_cast<std::size_t>(num_ports) : 0),
        last_granted_(gates_.size(), none) {}

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(gates_.size()); }

  // ---- packets

  /// May a packet to this port start without a grant?
  [[nodiscard]] bool admits(std::int32_t target, Bytes bytes, Time now) {
    return gates_[target].first == none && has_room(target, bytes, now);
  }
  [[nodiscard]] bool has_room(std::int32_t target, Bytes bytes, Time now);
  void enter(std::int32_t target, Bytes bytes) { gates_[target].used += bytes; }
  /// A packet is delivered; the time at which its bytes count no more [ps].
  Time leave(std::int32_t target, std::int32_t bytes, Time now);

  // ---- messages that wait at their sources

  /// The source's last message to the port, which does not wait yet.
  void wait(std::int32_t source, std::int32_t target, std::int32_t message);
  [[nodiscard]] bool has_queue(std::int32_t target) const { return gates_[target].first != none; }
  /// The message whose packet is granted next.
  [[nodiscard]] std::int32_t next_message(std::int32_t target) const {
    return pairs_[static_cast<std::uint32_t>(gates_[target].first)].first;
  }
  Grant grant(std::int32_t target, Bytes bytes);
  /// When a gate has more room [ps]; `never` if no credit is on its way.
  [[nodiscard]] Time next_room(std::int32_t target) const;
  /// A granted packet has started. The rest of its message waits again; `none` if the message has
  /// ended. Has the source more for this port?
  bool started(std::int32_t source, std::int32_t target, std::int32_t rest);

  /// The last message of a port that is granted a packet which has not started.
  [[nodiscard]] std::int32_t& last_granted(std::int32_t port) { return last_granted_[port]; }

  /// Throws InternalError unless no message waits and all bytes are on their way back.
  void check_conservation() const;

 private:
  struct Gate {
    Credits credits;
    std::int32_t first = none, last = none;  // pairs that wait
    Bytes used = 0;  // [B]
  };
  struct Pair {  // a source that waits for a port, or is granted a packet to it
    std::int32_t source = none, target = none;
    std::int32_t first = none, last = none;  // its messages
    std::int32_t next = none;  // behind it at the gate
  };

  [[nodiscard]] static std::uint64_t key_of(std::int32_t source, std::int32_t target) {
    return static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(target);
  }
  void join(std::int32_t pair);

  Bytes window_;  // [B]
  Time delay_;  // [ps]
  std::vector<Gate> gates_;  // by port, as are
  std::vector<std::int32_t> last_granted_;
  CreditPool pool_;
  Slots<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::int32_t> by_ends_;  // pairs; never walked through
  std::vector<std::int32_t> behind_;  // the next message of a pair, by message slot
};

}  // namespace odonata
