// The packet engine: virtual cut-through, input buffers per virtual channel, credits.
//
// A packet's head reaches a router, is routed at once and waits for its output link in a queue
// per (link, virtual channel), oldest first; its bytes stay in the input buffer it came by. A link
// that falls free serves the oldest packet whose next buffer has room for it whole. When the tail
// has left, the input buffer's room travels back to its sender as a credit.
//
//     start on a link at t:  ends at  e = max(t + bytes/rate, tail ready here)
//     next router:           head at  t + latency + router_delay,  tail at  e + same
//     upstream sender:       credit at  e + credit_delay
//     node:                  delivered at  e + latency
//
// A link is free at e; a port's link, if a message ends, not before the gap after its start is
// over. Age is the time at which a packet started on its injection link. With congestion control a
// message that its destination's gate (gates.hpp) refuses leaves the queue of its NIC for the
// gate's. Where the destinations of a port take turns, each sends a packet, and goes to the end of
// the queue.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "odonata/engine/credits.hpp"
#include "odonata/engine/gates.hpp"
#include "odonata/engine/network.hpp"
#include "odonata/engine/observer.hpp"
#include "odonata/engine/turns.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/prefetcher.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/machine/families/basics.hpp"
#include "odonata/units/table.hpp"

namespace odonata {

/// Observed by who has the verbs of engine/observer.hpp.
template <class Observer>
class PacketNetwork final : public Network, public Prefetcher {
 public:
  PacketNetwork(const Machine& machine, const EngineOptions& options, Clock& clock,
                Receiver& receiver, Observer& observer);

  void send(std::uint32_t message, const Transfer& transfer) override;
  void process(const Event& event) override;
  void prefetch(const Event* next) const override;
  [[nodiscard]] std::uint32_t message_of(const Event& event) const override {
    return packets_[slot_of(event.key)].message;
  }
  void prefetch_port(std::int32_t port) const override {
    prefetch_link(port, 0);
    fetch(&nics_[port]);
  }
  /// The next packet of a port takes this number, and so the number's route.
  void number_from(std::int32_t port, std::uint32_t number) { nics_[port].sent = number; }
  [[nodiscard]] bool idle(std::int32_t port) const override {
    return nics_[port].head == none && link_at(port).free_at <= clock_.now;
  }
  [[nodiscard]] LeastTime least_time() const override {
    return {machine_, options_.packet_bytes, options_.header_bytes};
  }
  [[nodiscard]] NetworkTotals totals() const override { return totals_; }
  [[nodiscard]] std::vector<LinkStatistics> link_statistics() const override;
  [[nodiscard]] std::vector<BufferStatistics> buffer_statistics() const override;
  [[nodiscard]] std::vector<Bytes> waiting_by_class() const override { return waiting_; }
  void check_conservation(Time end) const override;

 private:
  static constexpr std::int32_t none = -1;  // of packets and links

  static constexpr std::uint32_t low24 = 0xffffff;
  static_assert(most_links < low24);

  class Lane {  // a virtual channel of a link: | vc 8 | link 24 |
   public:
    Lane() = default;
    Lane(std::int32_t link, int vc)
        : word_(static_cast<std::uint32_t>(link) | static_cast<std::uint32_t>(vc) << 24) {}
    [[nodiscard]] bool known() const { return word_ != low24; }
    [[nodiscard]] std::int32_t link() const { return static_cast<std::int32_t>(word_ & low24); }
    [[nodiscard]] int vc() const { return static_cast<int>(word_ >> 24); }

   private:
    std::uint32_t word_ = low24;
  };

  struct alignas(64) Packet {
    Time born = 0;                       // [ps] start on the injection link
    Time tail = 0;                       // [ps] when the tail can leave the router it is at
    std::uint32_t source : 24 = 0;       // port
    std::uint32_t link_class : 8 = 0;    // of the link it came by
    std::uint32_t number = 0;            // at its source
    std::uint32_t message = 0;           // slot
    std::int32_t bytes = 0;              // [B] header included
    std::int32_t port = 0;               // destination
    Lane at;                            // the link it came by, whose buffer holds it
    union {
      Lane out{};         // on its way: the link it takes next, if decided before its arrival
      std::int32_t next;  // in the queue of that link: behind it
    };
    RouteState route;

    [[nodiscard]] PacketId id() const { return {static_cast<std::int32_t>(source), number}; }
  };
  static_assert(sizeof(Packet) == 64);

  // A link and its virtual channels lie side by side, so that one hop touches few cache lines:
  //
  //     | LinkState 64 B | Channel 0, 64 B | Channel 1, 64 B | ...   (stride_ bytes a link)
  struct alignas(64) LinkState {
    Time free_at = 0;       // [ps]
    Time wake_at = never;   // [ps] earliest wake that is scheduled
    Time stalled_for = 0;   // [ps] less the begin of the stall that is not over
    Bytes bytes = 0;        // [B] sent
    Time busy = 0;          // [ps]
    std::int32_t waiting_bytes = 0;
    std::int32_t peak_waiting = 0;  // [B]
    std::int32_t to = 0;        // router, or node
    std::int32_t capacity = 0;  // [B] of each virtual channel's buffer; 0: a node, takes all
    std::uint32_t waiting = 0;  // virtual channels with a queue, a bit each
    std::uint8_t link_class = 0;
    bool stalled = false;  // free, packets waiting, no credit
  };
  static_assert(sizeof(LinkState) == 64);

  struct alignas(64) Channel {  // one virtual channel of a link and the buffer at its far end
    [[no_unique_address]] Credits credits;  // whose last bytes are free
    std::int32_t used = 0;                  // [B] reserved, as its sender knows
    std::int32_t peak = 0;                  // [B]
    std::int32_t head = none, tail = none;  // packets waiting for it
    std::int32_t between = none;  // the latest that joined before others, while it waits
    std::uint32_t refused = 0;  // times it became full
    bool full = false;  // the last packet that asked found no room
  };
  static_assert(sizeof(Channel) == 64);

  // A message in the network has two halves, of which each end of it uses its own.
  struct alignas(32) Departure {
    [[no_unique_address]] Transfer transfer;  // whose last bytes are free
    bool granted = false;                     // its next packet, by a gate
    std::int32_t next = none;                 // behind it at its NIC
    Bytes to_inject = 0;                      // [B]
  };
  static_assert(sizeof(Departure) == 32);
  struct alignas(32) Arrival {
    Bytes to_deliver = 0;  // [B]
    Delivery delivery;     // of the packets that have arrived
  };

  struct Nic {
    std::int32_t head = none, tail = none;  // messages waiting to be cut into packets
    std::uint32_t sent = 0;  // packets
    Bytes in_flight = 0;  // [B] payload, where there is a window
    Time next_message = 0;  // [ps] when one may start, where there is a gap
  };

  struct alignas(64) ClassTiming {
    Rate rate;
    Time hop_delay = 0;  // [ps] latency, and the delay of the router behind it
    Time credit_delay = 0;  // [ps]
    Bytes bytes = -1;  // the last size, since sizes repeat,
    Time time = 0;  // [ps] and its transmission time
  };

  struct CacheLine {  // of the links' storage
    alignas(64) std::byte bytes[64];
  };

  void build_links();
  [[noreturn]] void miss_bytes() const;
  [[noreturn]] void miss_packets() const;
  void arrive(std::uint32_t slot);
  void deliver(std::uint32_t slot);
  void wake(std::int32_t link);
  void arbitrate(std::int32_t link_id);
  void pump(std::int32_t port);
  bool inject_packet(std::int32_t port);
  [[nodiscard]] bool may_start(std::int32_t port, Bytes payload, std::int32_t bytes);
  void keep_gap(std::int32_t port, bool begins, bool ends);
  void free_bytes(const Packet& packet);
  [[nodiscard]] bool waits_for_gap(std::int32_t port);
  [[nodiscard]] bool passes_gate(std::int32_t port, Bytes payload);
  void wait_at_gate(std::int32_t port);
  void use_grant(std::int32_t port, std::int32_t message);
  void join(std::int32_t port, std::int32_t message);
  void end_turn(std::int32_t port, std::int32_t message, bool ends);
  void open_gate(std::int32_t target);
  void let_in(const Gates::Grant& grant);
  void transmit(std::int32_t link_id, int vc, std::uint32_t slot, bool queued);
  void enqueue(std::int32_t link_id, int vc, std::uint32_t slot);
  void insert(Channel& channel, Packet& packet, std::int32_t index);
  void release(const Packet& packet, Time time);
  bool has_room(const LinkState& link, Channel& channel, std::int32_t bytes);
  void wake_by(std::int32_t link, Time time);
  void stall(std::int32_t link);
  void end_stall(LinkState& link) const;
  void wake_on_credit(std::int32_t link);
  [[nodiscard]] LinkStart start_on(std::int32_t link_id, Time end) const {
    const LinkState& link = link_at(link_id);
    return {link_id, clock_.now, end, link.stalled_for, hop_delay(link)};
  }
  [[nodiscard]] Time stalled_so_far(const LinkState& link) const {
    return link.stalled ? link.stalled_for + clock_.now : link.stalled_for;
  }
  std::uint32_t new_packet();
  [[nodiscard]] std::uint64_t entity_of(const Packet& packet, std::uint32_t slot) const {
    return identities_.entity(static_cast<std::int32_t>(packet.source), packet.number, slot);
  }
  Time transmission_time(int link_class, Bytes bytes) {
    ClassTiming& timing = timing_[link_class];
    if (timing.bytes != bytes) [[unlikely]] {
      timing.bytes = bytes;
      timing.time = timing.rate.time_of(bytes);
    }
    return timing.time;
  }
  /// Latency of a link, and the delay of the router behind it: links of a class are alike.
  [[nodiscard]] Time hop_delay(const LinkState& link) const {
    return timing_[link.link_class].hop_delay;
  }
  void plan(Packet& packet, std::int32_t router);
  /// The gate of a port has a place behind the links, for its wakes.
  [[nodiscard]] std::int32_t gate_of(std::int32_t port) const {
    return machine_.num_links() + port;
  }
  [[nodiscard]] Bytes next_payload(std::int32_t message) const {
    return std::min(departures_[message].to_inject, options_.packet_bytes);
  }
  [[nodiscard]] bool port_link(std::int32_t link) const { return link < num_ports_; }
  [[nodiscard]] bool ejects(std::int32_t link) const {
    return link >= num_ports_ && link < 2 * num_ports_;
  }
  [[nodiscard]] std::byte* place_of(std::int32_t link) const {
    return first_link_ + stride_ * static_cast<std::size_t>(link);
  }
  [[nodiscard]] LinkState& link_at(std::int32_t link) const {
    return *reinterpret_cast<LinkState*>(place_of(link));
  }
  [[nodiscard]] Channel& channel_at(std::int32_t link, int vc) const {
    return reinterpret_cast<Channel*>(place_of(link) + sizeof(LinkState))[vc];
  }
  void prefetch_entity(const Event& later) const;
  void prefetch_head(const Event& soon) const;
  void prefetch_behind(const Event& soon) const;
  void prefetch_observed(const Event* next) const;
  void prefetch_route(const Event& soon) const;
  void prefetch_link(std::int32_t link, int vc) const {
    fetch(&link_at(link));
    fetch(&channel_at(link, vc));
  }
  /// The first packet that waits for a link, in the first of its queues.
  [[nodiscard]] std::int32_t head_at(std::int32_t link) const {
    const std::uint32_t waiting = link_at(link).waiting;
    return waiting == 0 ? none : channel_at(link, std::countr_zero(waiting)).head;
  }
  [[nodiscard]] int num_vcs(std::int32_t link) const {
    return link < 2 * num_ports_ ? 1 : class_vcs_[link_at(link).link_class];
  }

  const Machine& machine_;
  EngineOptions options_;
  Clock& clock_;
  Receiver& receiver_;
  Observer& observer_;
  std::unique_ptr<Routing> routing_;
  std::int32_t num_ports_;
  Identities identities_;
  Table<CacheLine> storage_;
  std::byte* first_link_ = nullptr;
  std::size_t stride_ = 0;  // [B]
  std::vector<int> class_vcs_;  // by class
  Slots<Packet> packets_;
  CreditPool credits_;
  Table<Departure> departures_;  // by message slot, as are
  Table<Arrival> arrivals_;
  Table<Nic> nics_;
  Gates gates_;
  Turns turns_;
  bool controlled_ = false;  // has gates
  bool interleaves_ = false;  // messages of a port, by gates or turns
  bool counts_on_way_ = false;  // by a window or gates
  std::vector<ClassTiming> timing_;
  std::vector<Bytes> waiting_;  // by class
  Loads loads_;
  NetworkTotals totals_;
};

extern template class PacketNetwork<NoObserver>;
extern template class PacketNetwork<Logging>;

}  // namespace odonata
